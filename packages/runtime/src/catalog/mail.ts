import * as v from "valibot";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

const letter = () => ({ from: s.text(), to: s.text(), content: s.text() });

/** The events of messages that one agent context sends to another. */
export const mailRows = {
  "mail.before": define("mail.before", {
    fires: "Before a message to another context is delivered.",
    kind: "gate",
    payload: letter,
    answer: () => ({ delivered: v.optional(v.literal(true)), via: v.optional(s.text()) }),
    ends: on("delivered"),
  }),
  "mail.after": define("mail.after", {
    fires: "When a message to another context has been delivered or could not be.",
    kind: "observe",
    payload: () => ({ ...letter(), result: s.text() }),
    answer: () => ({}),
  }),
};
