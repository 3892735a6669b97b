import * as v from "valibot";
import { first } from "../fold/index.ts";
import { define, on } from "./define.ts";
import * as s from "./shape.ts";

const task = () => ({
  /** An id that is derived from the item's subject, so that it stays the same when the item is completed. */
  id: s.text(),
  subject: s.text(),
});

const answer = () => ({
  cancel: v.optional(v.literal(true)),
  /** The reason that the model is told if `cancel` is set. */
  reason: v.optional(v.string()),
  halt: v.optional(s.halt()),
});

/** The events of changes that a model makes to its todo list. */
export const taskRows = {
  "task.created": define("task.created", {
    fires: "Before an item is put on the todo list; one that is cancelled is left out.",
    kind: "gate",
    payload: task,
    answer,
    folds: { halt: first() },
    ends: on("cancel"),
  }),
  "task.completed": define("task.completed", {
    fires: "Before an item of the todo list counts as completed; one that is cancelled stays as it was.",
    kind: "gate",
    payload: task,
    answer,
    folds: { halt: first() },
    ends: on("cancel"),
  }),
};
