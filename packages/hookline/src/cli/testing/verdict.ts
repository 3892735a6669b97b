import { isDeepStrictEqual } from "node:util";
import type { Fields } from "@hookline/ground";
import { plainJson } from "@hookline/ground/system";
import type { Outcome } from "@hookline/runtime";

/** The words with which a person states the expected outcome. */
export const WORDS = ["allow", "deny", "ask", "edit", "none"] as const;
/** The outcome of an event in one word. */
export type Word = (typeof WORDS)[number];

/** The parts of an event's result that an `Expectation` can check. */
export interface Came {
  /** The combined answer of the hooks, with hookline's own names of fields. */
  readonly answer: Fields;
  /** The event's fields after the hooks' edits, under the names of the case's event: a dialect's or the catalog's. */
  readonly after: Fields;
  readonly outcome: Outcome;
  /** Whether any hook listens to the event. */
  readonly isHeard: boolean;
}

/** The expected outcome; every part of it must hold. */
export interface Expectation {
  readonly verdict?: Word;
  /** Part of a text that some hook answered, or a regular expression between slashes that matches such a text. */
  readonly text?: string;
  /** Values that the event must have after the edits, by dotted path. */
  readonly edit?: Fields;
  /** Fields of the answer, with hookline's own names; other fields are not compared. */
  readonly answer?: Fields;
  /** How the path of a hook that answered must end. */
  readonly by?: string;
  /** Whether a hook must fail. Without this, every failure is a problem of the case. */
  readonly fails?: boolean;
}

/**
 * Lists the differences from the expectation, one line each; empty if there are none. `idle` is appended to the message
 * that no hook listens.
 */
export function unmet(expected: Expectation, came: Came, idle = ""): string[] {
  const { outcome, isHeard } = came;
  const problems: string[] = [];
  if (!isHeard && expected.verdict !== "none") problems.push(`no hook that is loaded listens to this event${idle}`);
  const failed = outcome.hooks.filter(({ status }) => status === "failed" || status === "timed-out");
  for (const { place, problem, stderr } of expected.fails === true ? [] : failed)
    problems.push(
      `${place} failed: ${[problem, stderr?.trim()].filter((one) => one !== undefined && one !== "").join(": ")}`,
    );
  if (expected.fails === true && failed.length === 0) problems.push("expected a hook to fail, but none did");
  if (expected.verdict !== undefined && !isMet(expected.verdict, came))
    problems.push(`expected ${expected.verdict}, but ${inWords(came)}`);
  const texts = textsOf(came);
  if (expected.text !== undefined && !texts.some(matcherOf(expected.text)))
    problems.push(
      `expected the text ${JSON.stringify(expected.text)}, but ${texts.length === 0 ? "no hook gave one" : `there is ${texts.map((text) => JSON.stringify(text)).join(", ")}`}`,
    );
  for (const [path, value] of Object.entries(expected.edit ?? {})) {
    const is = plainJson(valueAt(came.after, path));
    if (!isDeepStrictEqual(is, value))
      problems.push(`expected ${path} to be ${JSON.stringify(value)}, but it is ${JSON.stringify(is) ?? "not there"}`);
  }
  for (const [name, value] of Object.entries(expected.answer ?? {})) {
    const is = plainJson(came.answer[name]);
    if (!isDeepStrictEqual(is, value))
      problems.push(
        `expected the answer's ${name} to be ${JSON.stringify(value)}, but it is ${JSON.stringify(is) ?? "not there"}`,
      );
  }
  const { by } = expected;
  const answered = outcome.hooks.filter(({ status }) => status === "answered").map(({ place }) => place);
  if (by !== undefined && !answered.some((place) => place.replace(/:\d+$/, "").endsWith(by)))
    problems.push(
      `expected an answer of ${by}, but ${answered.length === 0 ? "no hook answered" : `${answered.join(", ")} answered`}`,
    );
  return problems;
}

/** Returns the outcome of an event in one word: the strictest one that applies. */
export function wordOf(came: Came): Word {
  return (["deny", "ask", "edit", "none"] as const).find((word) => isMet(word, came)) ?? "allow";
}

function isMet(word: Word, { answer, outcome }: Came): boolean {
  const isDenied =
    answer["decision"] === "deny" ||
    Boolean(answer["cancel"]) ||
    answer["stop"] === true ||
    answer["trusted"] === "no" ||
    answer["halt"] !== undefined;
  const isAsked = !isDenied && answer["decision"] === "ask";
  switch (word) {
    case "deny":
      return isDenied;
    case "ask":
      return isAsked;
    case "allow":
      return !isDenied && !isAsked;
    case "edit":
      return !isDenied && outcome.edits.length > 0;
    case "none":
      return Object.keys(answer).length === 0 && outcome.edits.length === 0;
  }
}

const CAME: Readonly<Record<Word, string>> = {
  allow: "it is let through with an answer",
  deny: "it is refused",
  ask: "the person is asked",
  edit: "it is let through, edited",
  none: "no hook answered",
};

function inWords(came: Came): string {
  const reason = came.answer["reason"];
  return `${CAME[wordOf(came)]}${typeof reason === "string" ? `: ${reason}` : ""}`;
}

/** Returns all texts that hooks answered for a person or the model. */
function textsOf({ answer, outcome }: Came): string[] {
  const held: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") held.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  for (const [name, value] of Object.entries(answer)) if (name !== "decision") collect(value);
  return [...held, ...outcome.notices.map(({ text }) => text)];
}

function matcherOf(expected: string): (text: string) => boolean {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(expected) ?? [];
  if (source === undefined) return (text) => text.includes(expected);
  const pattern = new RegExp(source, flags);
  return (text) => pattern.test(text);
}

/** Returns the value at a dotted path; names that contain dots are found too. */
function valueAt(fields: unknown, path: string): unknown {
  if (typeof fields !== "object" || fields === null) return undefined;
  if (Object.hasOwn(fields, path)) return (fields as Record<string, unknown>)[path];
  for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(fields, name)) return valueAt((fields as Record<string, unknown>)[name], path.slice(dot + 1));
  }
  return undefined;
}
