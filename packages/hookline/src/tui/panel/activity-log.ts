import { basename } from "node:path";
import type { TraceLine } from "@hookline/runtime";
import { verdictOf } from "../../hook/verdict.ts";
import { differing, preview } from "./preview.ts";

/** Dispatches that are kept. */
const KEPT = 500;
const VALUE_CHARACTERS = 2000;
const EDIT_CHARACTERS = 400;
/** How much of a long text is compared to find where an edit begins. */
const COMPARED_CHARACTERS = 100_000;

/** What one hook did in a dispatch, with its answer as text. */
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
}

/** A changed field, both values from where they begin to differ. */
export interface LoggedEdit {
  readonly hook: string;
  readonly lane: string;
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** One dispatch, without a hold on the values that went through it. */
export interface LoggedDispatch {
  /** Counts up from 1. */
  readonly number: number;
  /** Epoch ms. */
  readonly t: number;
  readonly event: string;
  readonly pass: number;
  readonly ms: number;
  /** Who decided what, in a few words; undefined where nobody did. */
  readonly verdict: string | undefined;
  readonly outcome: string;
  readonly runs: readonly LoggedRun[];
  readonly edits: readonly LoggedEdit[];
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

/** The latest dispatches of a session in memory; the oldest go first. Hand it to the session as its trace. */
export class ActivityLog {
  readonly payloads = true;
  readonly #kept: LoggedDispatch[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #redact: (text: string) => string;
  #count = 0;

  /** `redact` takes keys out of texts before they are kept. */
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

  /** Calls back after each dispatch; gives the undo. */
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
      outcome: text(line.outcome),
      runs: line.hooks.map(({ id, lane, source, pass, status, ms, answer, problem, stderr }) => ({
        id,
        lane,
        source,
        pass,
        status,
        ms,
        ...(answer !== undefined && { answer: text(answer) }),
        ...(problem !== undefined && { problem: this.#redact(problem) }),
        ...(typeof stderr === "string" && { stderr: text(stderr) }),
      })),
      edits: line.edits.map(({ hook, lane, field, from, to }) => {
        const [before, after] = differing(compared(from), compared(to), EDIT_CHARACTERS);
        return { hook, lane, field, from: this.#redact(before), to: this.#redact(after) };
      }),
      diagnostics: line.diagnostics.map(({ code, message }) => ({ code, message: this.#redact(message) })),
    };
  }
}

function compared(value: unknown): string {
  return value === undefined ? "(nothing)" : preview(value, COMPARED_CHARACTERS);
}

/** Who decided what, and why, in one line. */
function decided({ outcome, hooks }: TraceLine): string | undefined {
  const verdict = verdictOf(outcome);
  if (verdict === undefined) return undefined;
  const author = hooks.findLast(({ answer }) => answer !== undefined);
  const who = author === undefined ? "" : `${basename(author.source)} `;
  const why = verdict.reason === undefined ? "" : `: ${preview([verdict.reason].flat().join("; "), 200)}`;
  return `${who}${verdict.says}${why}`;
}
