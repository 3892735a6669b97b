import { ownerOf } from "./scripts.ts";

/** Labels of the guarded functions that are on the stack right now, outermost first. */
const entered: string[] = [];

/** Runs `fn` with its label on the stack. */
export function labelled<T>(fn: () => T, label: string): T {
  entered.push(label);
  try {
    return fn();
  } finally {
    entered.pop();
  }
}

/** The caller: a guarded function by its label, or foreign module code by its entry path. */
interface Blame {
  readonly label: string | undefined;
  /** True if the call came directly from Node, so that no code can be named. */
  readonly anonymous: boolean;
}

/** Finds the caller of `callee`. A host's own code is neither labelled nor anonymous. */
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
  // A module may have replaced both.
  Object.assign(Error, { stackTraceLimit: Number.POSITIVE_INFINITY, prepareStackTrace: undefined });
  Error.captureStackTrace(trace, callee);
  const { stack } = trace;
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return { stack };
}
