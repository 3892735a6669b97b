import { isOwnListener } from "@hookline/ground/system";
import { overlay, stands } from "@hookline/runtime/engine";

/**
 * Environment variables whose values are compared before and after a module loads, since they change how programs run.
 * Compares only the names of other variables: reading every value takes longer than loading a module.
 */
const VARIABLES = ["PATH", "HOME", "SHELL", "LANG", "TZ", "TMPDIR", "NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD"];

/** Events of `process` whose listeners can decide how the process ends. */
const ENDING = [
  "uncaughtException",
  "unhandledRejection",
  "exit",
  "beforeExit",
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
] as const;

/** A snapshot of the state that all code in the process shares. */
interface Ambient {
  readonly cwd: string;
  readonly umask: number;
  readonly names: readonly PropertyKey[];
  readonly env: readonly (string | undefined)[];
  readonly listeners: readonly number[];
}

/** The last snapshot. Modules load one after the other, so the next load can reuse it. */
let latest: { readonly state: Ambient; readonly atMs: number } | undefined;
const FRESH_MS = 2;

/** Takes a snapshot of the shared state. The returned function describes later changes in words, without values. */
export function noteAmbient(): () => readonly string[] {
  const before = latest !== undefined && nowMs() - latest.atMs < FRESH_MS ? latest.state : ambient();
  return () => {
    const after = isAsBefore(before) ? before : ambient();
    latest = { state: after, atMs: nowMs() };
    return after === before ? [] : changesOf(before, after);
  };
}

/** Avoids `performance`, which would have to be loaded first. That takes longer than loading a module. */
function nowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

function ambient(): Ambient {
  return {
    cwd: process.cwd(),
    umask: process.umask(),
    names: Reflect.ownKeys(process.env),
    env: VARIABLES.map((name) => process.env[name]),
    listeners: ENDING.map(foreignListeners),
  };
}

/** Counts the listeners without the host's own, which come and go. */
function foreignListeners(name: string): number {
  let count = 0;
  for (const listener of process.listeners(name as "exit")) if (!isOwnListener(listener)) count += 1;
  return count;
}

/** Whether the state is unchanged. Runs after each module, so it allocates as little as possible. */
function isAsBefore({ cwd, umask, names, env, listeners }: Ambient): boolean {
  if (cwd !== process.cwd() || umask !== process.umask()) return false;
  for (let i = 0; i < VARIABLES.length; i++) if (process.env[VARIABLES[i] as string] !== env[i]) return false;
  for (let i = 0; i < ENDING.length; i++) {
    const name = ENDING[i] as string;
    if (tells(name, listeners[i] as number, foreignListeners(name))) return false;
  }
  const now = Reflect.ownKeys(process.env);
  return now.length === names.length && now.every((name, i) => name === names[i]);
}

/** Whether a change in the number of listeners is reported. Modules may add `exit` listeners for their own cleanup. */
function tells(name: string, before: number, after: number): boolean {
  return name === "exit" ? after < before : after !== before;
}

function changesOf(before: Ambient, after: Ambient): string[] {
  const changes: string[] = [];
  if (before.cwd !== after.cwd) changes.push("the working directory");
  if (before.umask !== after.umask) changes.push("the umask");
  const names = new Set<PropertyKey>(VARIABLES.filter((_, i) => before.env[i] !== after.env[i]));
  for (const name of after.names) if (!before.names.includes(name)) names.add(name);
  for (const name of before.names) if (!after.names.includes(name)) names.add(name);
  for (const name of names) changes.push(`the variable ${String(name)}`);
  for (const [i, name] of ENDING.entries())
    if (tells(name, before.listeners[i] as number, after.listeners[i] as number))
      changes.push(`the listeners of ${name}`);
  return changes;
}

/** Returns the path of the loaded module whose code threw an error; `undefined` if other code did. */
type OwnerOf = (error: unknown) => string | undefined;
type Leave = (code?: number) => never;

const ways = ["exit", "reallyExit"] as const;
type Exits = Record<(typeof ways)[number], Leave>;

/** Finds the module that called `process.exit`. Has an entry for each module that is loaded, in any session. */
const owners = new Set<{ readonly of: OwnerOf }>();
const replaced = new Map<(typeof ways)[number], { readonly method: Leave; readonly remove: () => void }>();
/** Whether an allowed `process.exit` is under way: it calls `process.reallyExit`, which must not be checked again. */
let leaving = false;

/**
 * Makes `process.exit` throw when a loaded module calls it; other code can still exit. It also throws if it is called
 * by a timer or promise that was handed the function. Returns a function that undoes this.
 *
 * Each load does this again, because other code may have replaced `process.exit` since the last load.
 */
export function holdExit(owner: OwnerOf): () => void {
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
      // Removes hookline's frames from the stack, so that the error counts as the module's if nobody catches it.
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

/**
 * Returns the module whose code called `callee` directly. Only the direct caller is checked: code further down the
 * stack did not ask for the exit.
 */
function culpritOf(callee: Leave): string | undefined {
  const caller = { stack: "" };
  const { stackTraceLimit, prepareStackTrace } = Error;
  // A module may have replaced these settings of `Error`.
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

/** A load whose module may still cause uncaught errors. */
interface Held {
  /** The path of the extension's file, which imports its other modules. */
  readonly path: string;
  readonly owner: OwnerOf;
  /** Called with an uncaught error and the path of its module, or without a path if the error's stack names no code. */
  report(error: unknown, path: string | undefined): void;
}

/** The modules that are loaded in any session: an uncaught error ends the process, and so all sessions. */
const held = new Set<Held>();
/** The `owner` of the module that was unloaded last, whose timers can still throw; before that, the first module's. */
let released: OwnerOf | undefined;

/**
 * Prevents a module's uncaught errors in timers, listeners and promises from ending the process, and reports them to
 * every load of that module. The host's own errors still end the process. Returns a function that releases the load.
 *
 * The listener on `process` stays even then, because a module's timers can outlive its load.
 */
export function holdLateErrors(load: Held): () => void {
  if (released === undefined) process.on("uncaughtException", heard);
  released ??= load.owner;
  held.add(load);
  return () => {
    if (held.delete(load)) released = load.owner;
  };
}

function heard(error: unknown): void {
  const path = ownerIn(error);
  if (path === undefined && namesCode(error)) {
    // If there is another listener, it decides whether the process continues.
    if (process.listenerCount("uncaughtException") === 1) endAsEver(error);
    return;
  }
  const own = [...held].filter((load) => load.path === path);
  for (const load of own.length > 0 ? own : held) load.report(error, path);
}

function ownerIn(error: unknown): string | undefined {
  for (const owner of [...[...held].map((load) => load.owner), released]) {
    const path = owner?.(error);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** Whether a line of an error's stack is outside Node. If none is, hookline blames a module rather than the host. */
function namesCode(error: unknown): boolean {
  try {
    const { stack } = error as { readonly stack?: unknown };
    return String(stack)
      .split("\n")
      .some((line) => /^\s+at /.test(line) && !/\(?(?:node:[\w/.-]+:\d+:\d+|<anonymous>|native)\)?$/.test(line));
  } catch {
    return false;
  }
}

function endAsEver(error: unknown): void {
  process.stderr.write(`${(error as Error).stack}\n`, () => process.exit(1));
}
