import { overlay } from "../../port/overlay.ts";
import { blame, labelled } from "./blame.ts";
import { watchStdin } from "./stdin.ts";

type Exit = (code?: number | string | null) => never;
/** The functions of `process` that end it; `exit` calls `reallyExit`, which Node does not document. */
type Exits = { exit: Exit; reallyExit: Exit };

interface GuardedCall {
  readonly label: string;
  /** Undoes the module's changes to stdin. */
  readonly release: (() => void) | undefined;
  /** The call's index in `running`, to remove it fast; a set would take longer than a short handler. */
  index: number;
}

/** Guarded calls that have not ended, including asynchronous ones. */
const running: GuardedCall[] = [];
let uninstall: (() => void) | undefined;
let idleCheck = false;

/**
 * Runs a function of a module; in it, `process.exit` throws instead of ending the host. The error names `label`. This
 * lasts until the function's result has settled. The host's own code can still exit, but not synchronously within `fn`:
 * if a hook asks the host for an exit there, the host must exit later. With the scope `load`, the module's stdin
 * listeners, raw mode and flow are undone at the end; `label` must be the entry path.
 */
export function guarded<T>(fn: () => T, label: string, scope: "load" | "call" = "call"): T {
  const call: GuardedCall = { label, release: scope === "load" ? watchStdin(label) : undefined, index: running.length };
  running.push(call);
  uninstall ??= install();
  let settles = false;
  try {
    const result = labelled(fn, label);
    if (!isThenable(result)) return result;
    const settled = Promise.resolve(result).then(
      (value) => {
        leave(call);
        return value;
      },
      (thrown: unknown) => {
        leave(call);
        throw thrown;
      },
    );
    settles = true;
    return settled as T;
  } finally {
    if (!settles) leave(call);
  }
}

function leave(call: GuardedCall): void {
  const last = running.pop();
  if (last !== undefined && last !== call) {
    running[call.index] = last;
    last.index = call.index;
  }
  call.release?.();
  if (running.length > 0 || idleCheck) return;
  idleCheck = true;
  setImmediate(uninstallIfIdle).unref();
}

/**
 * Restores the functions if no call is guarded. Called late, because installing them again costs more than a short
 * handler.
 */
function uninstallIfIdle(): void {
  idleCheck = false;
  if (running.length > 0) return;
  uninstall?.();
  uninstall = undefined;
}

function install(): () => void {
  const on = process as unknown as Exits;
  const overlays = (["exit", "reallyExit"] as const).map((name) =>
    overlay({ on, name }, (next) => guardedExit(name, next)),
  );
  return () => {
    for (const { remove } of overlays) remove();
  };
}

function guardedExit(name: keyof Exits, next: () => Exit): Exit {
  const exit: Exit = (code) => {
    const culprit = culpritOf(exit);
    if (culprit !== undefined) {
      const error = refusal(culprit, name, code);
      // The stack omits this function, which is hookline's, so that an uncaught error is attributed to the module.
      Error.captureStackTrace(error, exit);
      throw error;
    }
    return next().call(process, code);
  };
  return exit;
}

/**
 * Returns a label for the code that called `callee`; `undefined` if that is the host's own code, which may exit. A
 * timer's caller is unknown: then the label names all running calls, or a timer if there are none.
 */
function culpritOf(callee: Exit): string | undefined {
  const { label, anonymous } = blame(callee);
  if (label !== undefined || !anonymous) return label;
  if (running.length === 0) return "A timer or promise that was handed the function";
  return [...new Set(running.map((call) => call.label))].join(" or ");
}

function refusal(label: string, name: string, code: unknown): Error {
  const asked = code === undefined || code === null ? "" : String(code);
  return new Error(
    `${label} called process.${name}(${asked}), which would end its host. Throw an error or return instead.`,
  );
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
