import type { Actions } from "../inprocess/actions.ts";
import { isMessagePayload, type MessagePayload, messageOf } from "./message.ts";

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
