import type { Question, Told } from "./drive.ts";

/**
 * A deliberate difference of hookline. Its explanation has the same name among the deviations of
 * conformance/requirements/omp.yaml, and so in the dialect's README; `npm run check` keeps the two lists equal. What it
 * hides is not compared here, so each has conformance cases of its own.
 */
export interface Deviation {
  /** The questions that the deviation is about. */
  holds(question: Question): boolean;
  /** One run without the parts that differ. */
  without(told: Told): Told;
}

/** Whether a handler behind the first one to say `field` is asked. */
function isHandedOn({ steps }: Question, field: string): boolean {
  const at = steps.findIndex(({ says }) => typeof says === "object" && says !== null && Object.hasOwn(says, field));
  return at >= 0 && at < steps.length - 1;
}

function withoutField(value: any, field: string): any {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return value;
  const { [field]: _, ...rest } = value;
  return rest;
}

/** Every deliberate difference from oh-my-pi 18.2.3, by name. */
export const deviations: Readonly<Record<string, Deviation>> = {
  returnedInput: {
    holds: (question) => isToolCall(question) && isHandedOn(question, "input"),
    without: (told) => ({
      ...told,
      answer: withoutField(told.answer, "input"),
      left: "left out",
      seen: (told.seen as [string, number, any][]).map(([name, at, event]) => [name, at, withoutField(event, "input")]),
    }),
  },
  addedContexts: {
    holds: (question) => isToolCall(question) && isHandedOn(question, "additionalContext"),
    without: (told) => ({ ...told, answer: withoutField(told.answer, "additionalContext") }),
  },
};

function isToolCall({ event }: Question): boolean {
  return event === "tool_call";
}
