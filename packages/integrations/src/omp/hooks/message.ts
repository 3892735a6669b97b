import { isObject } from "@hookline/runtime/dialect";
import type { Content, CustomMessage, CustomMessageInput } from "@hookline/runtime/engine";
import { cloneShell } from "@hookline/runtime/engine";
import type { Actions } from "../../in-process/actions.ts";
import { isContent } from "../../in-process/rows.ts";

/** A message from a hook: a text, or an object with at least the content. */
export type MessagePayload =
  | string
  | {
      readonly customType?: unknown;
      readonly content?: unknown;
      readonly display?: unknown;
      readonly details?: unknown;
      readonly attribution?: unknown;
    };

/** The type of a message that is given as text alone. */
const PLAIN = "custom-message";

/** Whether a value is a valid message. */
export function isMessagePayload(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || isObject(value);
}

/**
 * Completes a message as omp does: a plain text is displayed and attributed to the agent; in an object, `display`
 * defaults to false, `attribution` to the agent, and invalid content to empty.
 *
 * Source: spec/omp.md 2.1.
 */
export function messageOf(payload: MessagePayload): CustomMessageInput {
  if (typeof payload === "string") {
    return { customType: PLAIN, content: payload, display: true, attribution: "agent" };
  }
  const { customType, content, display, details, attribution } = payload;
  return {
    customType: typeof customType === "string" && customType !== "" ? customType : PLAIN,
    content: isContent(content) ? cloneShell(content as string | readonly Content[]) : "",
    display: Boolean(display),
    ...(details !== undefined && { details: cloneShell(details) }),
    attribution: attribution === "user" ? "user" : "agent",
  };
}

/** The message as it enters the conversation. */
export function entering(payload: MessagePayload): CustomMessage {
  return { role: "custom", ...messageOf(payload), timestamp: Date.now() };
}

type SendOptions = Parameters<Actions["sendMessage"]>[1];

/** How a message is sent: omp's options, or, as in its older types, whether a turn is begun. */
export type Delivery =
  | boolean
  | { readonly triggerTurn?: boolean; readonly deliverAs?: "steer" | "followUp" | "nextTurn" | "aside" };

/** omp's `sendMessage` over the shared one: completes the message and reads the options (decision 23). */
export function sending(actions: Actions): (message: MessagePayload, delivery?: Delivery) => void {
  return (message, delivery) => {
    if (!isMessagePayload(message)) throw new TypeError("sendMessage needs text or a message with content");
    actions.sendMessage(messageOf(message), optionsOf(delivery));
  };
}

/** An `aside` waits for the running step as steering does; hookline has no place between the two. */
function optionsOf(delivery: Delivery | undefined): SendOptions {
  if (typeof delivery === "boolean") return { triggerTurn: delivery };
  if (typeof delivery !== "object" || delivery === null) return {};
  const { deliverAs, triggerTurn } = delivery;
  return { triggerTurn, deliverAs: deliverAs === "aside" ? "steer" : deliverAs };
}
