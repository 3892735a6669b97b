import { overlay, stands } from "../../port/overlay.ts";

/** Names the module that a stack belongs to; `undefined` for everybody else's. */
type Owner = (error: unknown) => string | undefined;
type Leave = (code?: number) => never;

const ways = ["exit", "reallyExit"] as const;
type Exits = Record<(typeof ways)[number], Leave>;

/** Per process, as `process.exit` is: who is asked, and what was there before. */
const owners = new Set<{ readonly of: Owner }>();
const replaced = new Map<(typeof ways)[number], { readonly method: Leave; readonly remove: () => void }>();
/** `process.exit` ends in `process.reallyExit`, which was decided then. */
let leaving = false;

/**
 * Makes `process.exit` an error for code of loaded modules, whenever they call it; everybody else still exits.
 * It is an error too when nobody's code calls it, as when it was handed to a timer: a host must call it itself.
 * Returns the undo. Asked again with each load, because others may have put their own function there meanwhile.
 */
export function holdExit(owner: Owner): () => void {
  const asked = { of: owner };
  owners.add(asked);
  const on = process as unknown as Exits;
  for (const name of ways) {
    const ours = replaced.get(name)?.method;
    if (ours !== undefined && stands({ on, name }, ours)) continue;
    replaced.set(
      name,
      overlay({ on, name }, (next) => refusing(name, next)),
    );
  }
  return () => {
    if (!owners.delete(asked) || owners.size > 0) return;
    for (const { remove } of replaced.values()) remove();
    replaced.clear();
  };
}

function refusing(way: string, next: () => Leave): Leave {
  return function exitUnlessAHook(code) {
    const culprit = leaving || owners.size === 0 ? undefined : culpritOf(exitUnlessAHook);
    if (culprit !== undefined) {
      const text = `${culprit} called process.${way}(${code ?? ""}), which would end the agent; use ctx.shutdown()`;
      const refusal = new Error(text);
      // Without a frame of ours, an error that nobody catches is the module's.
      Error.captureStackTrace(refusal, exitUnlessAHook);
      throw refusal;
    }
    leaving = true;
    try {
      return next().call(process, code);
    } finally {
      leaving = false;
    }
  };
}

/** Whoever called `callee` and must not; who stands further down the stack did not ask for the exit. */
function culpritOf(callee: Leave): string | undefined {
  const caller = { stack: "" };
  const { stackTraceLimit, prepareStackTrace } = Error;
  // A module may have changed both.
  Object.assign(Error, { stackTraceLimit: 1, prepareStackTrace: undefined });
  Error.captureStackTrace(caller, callee);
  const { stack } = caller;
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  for (const { of } of owners) {
    const path = of({ stack });
    if (path !== undefined) return path;
  }
  const frame = stack.split("\n").find((line) => /^\s+at /.test(line));
  const nobody = frame === undefined || /\(?(?:node:[\w/.-]+:\d+:\d+|<anonymous>)\)?$/.test(frame);
  return nobody ? "A timer or promise that was handed the function" : undefined;
}
