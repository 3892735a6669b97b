import { isFields } from "@hookline/ground";
import type { Outcome, Status } from "./outcome.ts";

/** One dispatch as `--trace` writes it; `v` is the version of this format, and `traceSchema` its schema. */
export interface TraceLine {
  readonly v: 1;
  /** The time when this line was made, after the hooks were asked, in milliseconds since the epoch. */
  readonly t: number;
  readonly session: string;
  /** The agent that runs the session; absent if it is hookline's own. */
  readonly host?: string;
  /** The id of the sub-agent that the event belongs to. */
  readonly agent?: string;
  /** Whether the event was only a test of a guard with the guard's test case; the agent had no such event. */
  readonly probe?: true;
  readonly event: string;
  /** The lanes with hooks that were asked, in order. */
  readonly lane: readonly string[];
  /** 2 if guards were asked again about the final call. */
  readonly pass: 1 | 2;
  /** The hash of a guarded call as the guards judged it last. If a call ran, it was this one. */
  readonly call?: string;
  readonly hooks: readonly {
    readonly id: string;
    readonly lane: string;
    readonly source: string;
    readonly pass: 1 | 2;
    readonly status: Status;
    readonly ms: number;
    readonly answer?: unknown;
    readonly problem?: string;
    readonly stderr?: unknown;
    /**
     * Whether the hook was asked after the dispatch, with an answer that did not count; such a hook has a line of its
     * own.
     */
    readonly shadow?: true;
  }[];
  readonly edits: readonly {
    readonly hook: string;
    readonly lane: string;
    readonly field: string;
    readonly from?: unknown;
    readonly to?: unknown;
    readonly pass: 1 | 2;
  }[];
  readonly outcome: unknown;
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
  readonly ms: number;
}

/** Makes the line of a dispatch, with all values unless payloads are left out. */
export function traceLine(
  event: string,
  outcome: Outcome,
  about: {
    readonly session: string;
    readonly host?: string | undefined;
    readonly agent?: string | undefined;
    readonly isProbe?: boolean | undefined;
    readonly t: number;
    readonly payloads: boolean;
  },
): TraceLine {
  const line: TraceLine = {
    v: 1,
    t: about.t,
    session: about.session,
    ...(about.host !== undefined && { host: about.host }),
    ...(about.agent !== undefined && { agent: about.agent }),
    ...(about.isProbe === true && { probe: true }),
    event,
    lane: [...new Set(outcome.hooks.map((hook) => hook.lane))],
    pass: outcome.hooks.some((hook) => hook.pass === 2) ? 2 : 1,
    ...(outcome.call !== undefined && { call: outcome.call }),
    hooks: outcome.hooks.map((run) => ({
      id: run.hook,
      lane: run.lane,
      source: run.place,
      pass: run.pass,
      status: run.status,
      ms: round(run.ms),
      ...(run.answer !== undefined && { answer: run.answer }),
      ...(run.problem !== undefined && { problem: run.problem }),
      ...(run.stderr !== undefined && { stderr: run.stderr }),
      ...(run.shadow && { shadow: run.shadow }),
    })),
    edits: outcome.edits,
    outcome: outcome.answer,
    diagnostics: outcome.diagnostics.map(({ code, message }) => ({ code, message })),
    ms: round(outcome.ms),
  };
  return about.payloads ? line : withoutPayloads(line);
}

/** Replaces each value of a line by its size and digest. */
export function withoutPayloads(line: TraceLine): TraceLine {
  return {
    ...line,
    hooks: line.hooks.map((hook) => ({
      ...hook,
      ...("answer" in hook && { answer: fields(hook.answer) }),
      ...("stderr" in hook && { stderr: digest(hook.stderr) }),
    })),
    edits: line.edits.map((edit) => ({ ...edit, from: digest(edit.from), to: digest(edit.to) })),
    outcome: fields(line.outcome),
  };
}

/** Replaces the values of an answer's fields; the fields of a decision in it, such as Claude Code's, too. */
function fields(value: unknown): unknown {
  if (!isFields(value)) return digest(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isFields(field) && WORDS.has(field["decision"]) ? fields(field) : digest(field),
    ]),
  );
}

/** The words that decide. They reveal nothing of what was said. */
const WORDS: ReadonlySet<unknown> = new Set(["allow", "ask", "deny", "yes", "no"]);

/** Returns the size and 32-bit FNV-1a of the value's JSON. Booleans, numbers and words that decide stay. */
function digest(value: unknown): unknown {
  if (WORDS.has(value)) return value;
  return digestBy(value, (text) => {
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, "0");
  });
}

/** Returns a value's type, size and digest; booleans and numbers stay. */
export function digestBy(value: unknown, digestOf: (text: string) => string): unknown {
  if (value === undefined || value === null || typeof value === "boolean" || typeof value === "number") return value;
  let text: string;
  try {
    text = JSON.stringify(value) ?? "";
  } catch {
    return { type: typeof value };
  }
  return { type: Array.isArray(value) ? "array" : typeof value, chars: text.length, digest: digestOf(text) };
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
