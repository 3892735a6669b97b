import type { Outcome, Status } from "./outcome.ts";

/** One dispatch as `--trace` writes it; `v` is the version of this shape, `traceSchema` its schema. */
export interface TraceLine {
  readonly v: 1;
  /** Epoch ms. */
  readonly t: number;
  readonly session: string;
  readonly event: string;
  /** The lanes that were asked, in order. */
  readonly lane: readonly string[];
  /** 2 when guards were asked again about the final call. */
  readonly pass: 1 | 2;
  /** Of a guarded tool call: the hash of the call as it was judged last, and so of the call that ran if one did. */
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

/** Makes the line, with every value in it unless they are to be left out. */
export function traceLine(
  event: string,
  outcome: Outcome,
  about: { readonly session: string; readonly t: number; readonly payloads: boolean },
): TraceLine {
  const line: TraceLine = {
    v: 1,
    t: about.t,
    session: about.session,
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
    })),
    edits: outcome.edits,
    outcome: outcome.answer,
    diagnostics: outcome.diagnostics.map(({ code, message }) => ({ code, message })),
    ms: round(outcome.ms),
  };
  return about.payloads ? line : withoutPayloads(line);
}

/** The same line with the size and digest of each value in its place. */
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

function fields(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return digest(value);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, digest(field)]));
}

/** Size and 32-bit FNV-1a of the value's JSON; flags and numbers are shown as they are, since they are decisions. */
function digest(value: unknown): unknown {
  if (value === undefined || value === null || typeof value === "boolean" || typeof value === "number") return value;
  let text: string;
  try {
    text = JSON.stringify(value) ?? "";
  } catch {
    return { type: typeof value };
  }
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return {
    type: Array.isArray(value) ? "array" : typeof value,
    chars: text.length,
    digest: (hash >>> 0).toString(16).padStart(8, "0"),
  };
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
