import { basename } from "node:path";
import type { TraceLine } from "@hookline/runtime";
import { decidersOf } from "../../hook/author.ts";
import { addedIn, verdictOf } from "../../hook/verdict.ts";
import { differing, preview } from "./preview.ts";

/** The maximum number of dispatches that are kept. */
const KEPT = 500;
const VALUE_CHARACTERS = 2000;
const EDIT_CHARACTERS = 400;
/** The maximum length of an outcome's value in the log, in characters; a longer one becomes `…`. */
const WORD_CHARACTERS = 200;
/** How many characters of a long text are compared to find where an edit begins. */
const COMPARED_CHARACTERS = 100_000;

/** One hook that a dispatch asked, with its answer as text. */
export interface LoggedRun {
  readonly id: string;
  readonly lane: string;
  readonly source: string;
  readonly pass: number;
  readonly status: string;
  readonly ms: number;
  readonly answer?: string;
  readonly problem?: string;
  readonly stderr?: string;
  /** The hook was asked after the dispatch, and its answer did not count. */
  readonly shadow?: true;
}

/** A changed field with its old and new value, both from their first difference on. */
export interface LoggedEdit {
  readonly hook: string;
  readonly lane: string;
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** One dispatch as texts, without references to its values, so that these can be freed. */
export interface LoggedDispatch {
  /** The number of the dispatch, from 1. */
  readonly number: number;
  /** The time of the dispatch, in epoch ms. */
  readonly t: number;
  readonly event: string;
  readonly pass: number;
  readonly ms: number;
  /** The decision and its author in a few words; undefined if there is none. */
  readonly verdict: string | undefined;
  /** Says in a few words what hooks have added for the model; undefined if nothing. */
  readonly added: string | undefined;
  readonly outcome: string;
  /** The outcome's fields. Short texts, flags and numbers are kept; longer texts, lists and objects become `…`. */
  readonly decided: Readonly<Record<string, unknown>>;
  readonly runs: readonly LoggedRun[];
  readonly edits: readonly LoggedEdit[];
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

/**
 * The latest dispatches of a session, in memory; the oldest are dropped first. The session gets the log as its trace.
 */
export class ActivityLog {
  readonly payloads = true;
  readonly #kept: LoggedDispatch[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #redact: (text: string) => string;
  #count = 0;

  /** `redact` removes API keys and other secrets from texts before they are kept. */
  constructor(redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
  }

  /** How many dispatches there have been. */
  get count(): number {
    return this.#count;
  }

  /** The latest dispatches, newest first. */
  latest(): readonly LoggedDispatch[] {
    return this.#kept.toReversed();
  }

  /** Calls a listener after each dispatch; returns a function that removes it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  write(line: TraceLine): void {
    this.#count += 1;
    this.#kept.push(this.#logged(line));
    if (this.#kept.length > KEPT) this.#kept.shift();
    for (const listener of [...this.#listeners]) listener();
  }

  #decided(outcome: unknown): Record<string, unknown> {
    const isShort = (value: unknown): boolean => typeof value !== "object" && String(value).length <= WORD_CHARACTERS;
    return Object.fromEntries(
      Object.entries((outcome ?? {}) as object).map(([name, value]) => {
        const shown: unknown = typeof value === "string" ? this.#redact(value) : value;
        return [name, isShort(shown) ? shown : "…"];
      }),
    );
  }

  #logged(line: TraceLine): LoggedDispatch {
    const text = (value: unknown): string => this.#redact(preview(value, VALUE_CHARACTERS));
    const verdict = decided(line);
    return {
      number: this.#count,
      t: line.t,
      event: line.event,
      pass: line.pass,
      ms: line.ms,
      verdict: verdict && this.#redact(verdict),
      added: added(line.outcome, this.#redact),
      outcome: text(line.outcome),
      decided: this.#decided(line.outcome),
      runs: line.hooks.map(({ id, lane, source, pass, status, ms, answer, problem, stderr, shadow }) => ({
        id,
        lane,
        source,
        pass,
        status,
        ms,
        ...(answer !== undefined && { answer: text(answer) }),
        ...(problem !== undefined && { problem: this.#redact(problem) }),
        ...(typeof stderr === "string" && { stderr: text(stderr) }),
        ...(shadow && { shadow }),
      })),
      edits: line.edits.map(({ hook, lane, field, from, to }) => {
        const [before, after] = differing(compared(from), compared(to), EDIT_CHARACTERS);
        return { hook, lane, field, from: this.#redact(before), to: this.#redact(after) };
      }),
      diagnostics: line.diagnostics.map(({ code, message }) => ({ code, message: this.#redact(message) })),
    };
  }
}

function added(outcome: unknown, redact: (text: string) => string): string | undefined {
  const texts = addedIn(outcome);
  return texts.length === 0 ? undefined : `added: ${redact(preview(texts.join("; "), WORD_CHARACTERS))}`;
}

function compared(value: unknown): string {
  return value === undefined ? "(nothing)" : preview(value, COMPARED_CHARACTERS);
}

/** Describes what a shadow hook would have answered; undefined if it answered nothing. */
function wouldHave({ source, status, answer }: TraceLine["hooks"][number]): string | undefined {
  if (status !== "answered") return undefined;
  const says = preview(answer, 200);
  return `in shadow: ${basename(source)} would have answered ${says}`;
}

/** Returns the decision, its author and its reason in one line. */
function decided({ outcome, hooks }: TraceLine): string | undefined {
  // If only shadow hooks were asked, the line says what the first of them would have answered.
  const shadowed = hooks.length > 0 && hooks.every(({ shadow }) => shadow) ? hooks[0] : undefined;
  if (shadowed !== undefined) return wouldHave(shadowed);
  const verdict = verdictOf(outcome);
  if (verdict === undefined) return undefined;
  const authors = decidersOf(verdict, hooks).map((place) => basename(place));
  const who = authors.length === 0 ? "" : `${authors.join(", ")} `;
  const why = verdict.reason === undefined ? "" : `: ${preview([verdict.reason].flat().join("; "), 200)}`;
  return `${who}${verdict.says}${why}`;
}
