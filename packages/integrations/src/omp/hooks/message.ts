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

/** The type of a message that is only a text. */
const PLAIN = "custom-message";

/** Whether a value is a valid message. */
export function isMessagePayload(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || isObject(value);
}

/**
 * Completes a message as omp does. A plain text is displayed and attributed to the agent. In an object, `display`
 * defaults to false and `attribution` to the agent, and invalid content becomes empty.
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

/** Returns the message in the form in which it is added to the conversation. */
export function entering(payload: MessagePayload): CustomMessage {
  return { role: "custom", ...messageOf(payload), timestamp: Date.now() };
}

type SendOptions = Parameters<Actions["sendMessage"]>[1];

/** How to send a message: omp's options, or as in its older types, a boolean that says whether to begin a turn. */
export type Delivery =
  | boolean
  | { readonly triggerTurn?: boolean; readonly deliverAs?: "steer" | "followUp" | "nextTurn" | "aside" };

/** Makes omp's `sendMessage`, which completes messages and reads omp's options (ruling 23). */
export function sending(actions: Actions): (message: MessagePayload, delivery?: Delivery) => void {
  return (message, delivery) => {
    if (!isMessagePayload(message)) throw new TypeError("sendMessage needs text or a message with content");
    actions.sendMessage(messageOf(message), optionsOf(delivery));
  };
}

/**
 * Converts omp's options. `aside` becomes `steer`, since both wait for the running step and hookline has nothing in
 * between.
 */
function optionsOf(delivery: Delivery | undefined): SendOptions {
  if (typeof delivery === "boolean") return { triggerTurn: delivery };
  if (typeof delivery !== "object" || delivery === null) return {};
  const { deliverAs, triggerTurn } = delivery;
  return { triggerTurn, deliverAs: deliverAs === "aside" ? "steer" : deliverAs };
}
