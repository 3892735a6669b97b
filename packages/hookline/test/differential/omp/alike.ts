import { expect } from "vitest";
import { deviations } from "./deviations.ts";
import type { Question, Told } from "./drive.ts";
import { isSame } from "./effect.ts";

/** Holds both programs' runs of all questions to each other; names the deviations that were needed. */
export function expectAlike(
  questions: readonly Question[],
  real: readonly Told[],
  ours: readonly Told[],
  form: (question: Question, told: Told) => Told,
): string[] {
  expect(real.length).toBe(questions.length);
  expect(ours.length).toBe(questions.length);
  const needed = new Set<string>();
  const unlike = questions.flatMap((question, i) => {
    const [a, b] = [real[i], ours[i]].map((told) => form(question, told as Told)) as [Told, Told];
    if (isSame(a, b)) return [];
    const known = Object.entries(deviations).filter(([, { holds }]) => holds(question));
    const [c, d] = [a, b].map((told) => known.reduce((now, [, { without }]) => without(now), told));
    for (const [name] of known) needed.add(name);
    return isSame(c, d) ? [] : [{ question, real: c, ours: d }];
  });
  // The first few say what is wrong; there are thousands of questions.
  expect({ unlike: unlike.length, first: unlike.slice(0, 3) }).toEqual({ unlike: 0, first: [] });
  return [...needed].sort();
}
