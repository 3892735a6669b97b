import { ownerOf } from "./scripts.ts";

/** The labels of the guarded functions that are on the call stack now, outermost first. */
const entered: string[] = [];

/** Runs `fn`, with its label in `entered` meanwhile. */
export function labelled<T>(fn: () => T, label: string): T {
  entered.push(label);
  try {
    return fn();
  } finally {
    entered.pop();
  }
}

/** A function's caller. `label` is the label of a running guarded function, or the calling module's entry path. */
interface Blame {
  readonly label: string | undefined;
  /** Whether the call came directly from Node, so that no code can be blamed. */
  readonly anonymous: boolean;
}

/** Finds the code that called `callee`. If that is the host's own, `label` is absent and `anonymous` is false. */
export function blame(callee: (...args: never[]) => unknown): Blame {
  const label = entered.at(-1);
  if (label !== undefined) return { label, anonymous: false };
  const trace = traceAbove(callee);
  const frames = trace.stack.split("\n").filter((line) => /^\s+at /.test(line));
  return {
    label: ownerOf(trace),
    anonymous: frames.every((frame) => /\(?(?:node:[\w/.-]+:\d+:\d+|<anonymous>)\)?$/.test(frame)),
  };
}

function traceAbove(callee: (...args: never[]) => unknown): { stack: string } {
  const trace = { stack: "" };
  const { stackTraceLimit, prepareStackTrace } = Error;
  // A module may have changed these two settings, which decide what the trace contains.
  Object.assign(Error, { stackTraceLimit: Number.POSITIVE_INFINITY, prepareStackTrace: undefined });
  Error.captureStackTrace(trace, callee);
  const { stack } = trace;
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return { stack };
}
