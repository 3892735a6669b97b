import type { Fields } from "@hookline/ground";

/** The words for what happens to an event, from the strictest to none. */
export const EXPECTED_WORDS = ["deny", "ask", "edit", "allow", "none"] as const;

/** A word for what happens to an event. */
export type ExpectedWord = (typeof EXPECTED_WORDS)[number];

/** An expectation with details besides a word such as `deny`; each given field must match. */
export interface CaseExpectation {
  readonly decision?: ExpectedWord;
  /** A part of any text in the guard's answer, or a regular expression between slashes. */
  readonly text?: string;
  /** The values that fields must have after the edits, by dotted path. */
  readonly edit?: Fields;
  /** The values that fields of the answer must have; other fields are not compared. */
  readonly answer?: Fields;
}

/** One event, and what a guard must do about it. */
export interface GuardCase {
  /** The case's name in reports. Default: the event and the tool. */
  readonly name?: string;
  /** The tool of the call. Default: the first tool that the guard names. */
  readonly tool?: string;
  readonly args?: Fields;
  /**
   * Fields of the event besides the tool and its arguments. A test of hooks fills in missing fields; a session that
   * tests the guard does not.
   */
  readonly payload?: Fields;
  readonly expect: ExpectedWord | CaseExpectation;
  /** Whether a session may test the guard with this case when it starts. */
  readonly probe?: boolean;
}

/** A guard's name, with the test cases from the guard's own file. */
export interface CarriedCases {
  readonly name: string;
  readonly cases: readonly GuardCase[];
}

/** Returns the word that a case expects; `undefined` if it expects only texts or edits. */
export function expectedWord({ expect }: GuardCase): ExpectedWord | undefined {
  return typeof expect === "string" ? expect : expect.decision;
}

/** Returns the first case that expects `deny`, else one that expects `ask`; never one with `probe: false`. */
export function refusedCase(cases: readonly GuardCase[]): GuardCase | undefined {
  return firstWith("deny", cases) ?? firstWith("ask", cases);
}

/** Returns the case to test a guard with: one that expects `deny`, else `ask`, else `edit`. */
export function provingCase(cases: readonly GuardCase[]): GuardCase | undefined {
  return refusedCase(cases) ?? firstWith("edit", cases);
}

function firstWith(word: ExpectedWord, cases: readonly GuardCase[]): GuardCase | undefined {
  return cases.find((one) => one.probe !== false && expectedWord(one) === word);
}
