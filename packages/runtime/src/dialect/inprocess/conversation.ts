import type { Payload } from "../../catalog/catalog.ts";
import type { Message } from "../../catalog/message.ts";
import { equal } from "../../lens/equal.ts";

/** Whether a value is a list of messages, as far as the agent must rely on it. */
export function isMessages(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof (one as Message | null)?.role === "string");
}

/** The conversation of one request; edits in place are looked at here, returned lists already were. */
export const contextView = {
  get: ({ messages }: Payload<"model.context">) => ({ type: "context", messages }),
  put({ messages }: { readonly messages?: readonly Message[] }, payload: Payload<"model.context">) {
    if (messages !== undefined && !isMessages(messages)) throw new Error("messages must be a list of messages");
    return messages === undefined || equal(messages, payload.messages) ? undefined : { messages };
  },
};
