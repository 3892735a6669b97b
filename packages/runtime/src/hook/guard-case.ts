import type { Fields } from "@hookline/ground";

/** The words for what becomes of an event, from the strictest to none. */
export const EXPECTED_WORDS = ["deny", "ask", "edit", "allow", "none"] as const;

/** One word for what becomes of an event. */
export type ExpectedWord = (typeof EXPECTED_WORDS)[number];

/** An expectation of more than a word; every part of it must hold. */
export interface CaseExpectation {
  readonly decision?: ExpectedWord;
  /** A part of any text that the guard gave, or a regular expression between slashes. */
  readonly text?: string;
  /** Values after the edits, by dotted path. */
  readonly edit?: Fields;
  /** Fields of the answer; other fields are not compared. */
  readonly answer?: Fields;
}

/** One event, and what a guard must make of it. */
export interface GuardCase {
  /** Names the case in reports. Default: the event and the tool. */
  readonly name?: string;
  /** Default: the first tool that the guard names. */
  readonly tool?: string;
  readonly args?: Fields;
  /** Fields of the event besides the tool and its arguments. A test fills in the others; a probe does not. */
  readonly payload?: Fields;
  readonly expect: ExpectedWord | CaseExpectation;
  /** Whether a session may ask this case at its start, to see that the guard works. */
  readonly probe?: boolean;
}

/** The name of a guard, with the cases that it carries. */
export interface CarriedCases {
  readonly name: string;
  readonly cases: readonly GuardCase[];
}

/** The word that a case expects; undefined if it expects only texts or edits. */
export function expectedWord({ expect }: GuardCase): ExpectedWord | undefined {
  return typeof expect === "string" ? expect : expect.decision;
}

/** A case that a guard must refuse, else one that it must ask about. */
export function refusedCase(cases: readonly GuardCase[]): GuardCase | undefined {
  return firstWith("deny", cases) ?? firstWith("ask", cases);
}

/** The case by which a guard is proved: one that it must refuse or ask about, else one that it must edit. */
export function provingCase(cases: readonly GuardCase[]): GuardCase | undefined {
  return refusedCase(cases) ?? firstWith("edit", cases);
}

function firstWith(word: ExpectedWord, cases: readonly GuardCase[]): GuardCase | undefined {
  return cases.find((one) => one.probe !== false && expectedWord(one) === word);
}
