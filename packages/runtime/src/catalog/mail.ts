import * as v from "valibot";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

const letter = () => ({ from: s.text(), to: s.text(), content: s.text() });

/** The events of messages that one agent context sends to another. */
export const mailRows = {
  "mail.before": define("mail.before", {
    fires: "Before a message from one named context (a session with a name, as in chibi) to another is delivered.",
    kind: "gate",
    payload: letter,
    answer: () => ({ delivered: v.optional(v.literal(true)), via: v.optional(s.text()) }),
    ends: on("delivered"),
  }),
  "mail.after": define("mail.after", {
    fires:
      "When a message from one named context (a session with a name, as in chibi) to another has been delivered or could not be.",
    kind: "observe",
    payload: () => ({ ...letter(), result: s.text() }),
    answer: () => ({}),
  }),
};
