import { isOwnListener } from "@hookline/ground/system";
import { overlay, stands } from "@hookline/runtime/engine";

/**
 * Reading every variable takes longer than loading a module. The values of these are compared, because they change what
 * programs do; of the others only the names.
 */
const VARIABLES = ["PATH", "HOME", "SHELL", "LANG", "TZ", "TMPDIR", "NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD"];

/** Events of the process whose listeners decide how it ends. */
const ENDING = [
  "uncaughtException",
  "unhandledRejection",
  "exit",
  "beforeExit",
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
] as const;

/** A snapshot of the state shared by everything in the process. */
interface Ambient {
  readonly cwd: string;
  readonly umask: number;
  readonly names: readonly PropertyKey[];
  readonly env: readonly (string | undefined)[];
  readonly listeners: readonly number[];
}

/** Modules are loaded one after the other, so each starts from the state that the previous one left. */
let latest: { readonly state: Ambient; readonly atMs: number } | undefined;
const FRESH_MS = 2;

/** Takes a snapshot of the shared state; the returned function describes later changes, in words without values. */
export function noteAmbient(): () => readonly string[] {
  const before = latest !== undefined && nowMs() - latest.atMs < FRESH_MS ? latest.state : ambient();
  return () => {
    const after = isAsBefore(before) ? before : ambient();
    latest = { state: after, atMs: nowMs() };
    return after === before ? [] : changesOf(before, after);
  };
}

/** `performance` has to be loaded first, which takes longer than a module. */
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

/** The number of listeners besides the host's own, which come and go. */
function foreignListeners(name: string): number {
  let count = 0;
  for (const listener of process.listeners(name as "exit")) if (!isOwnListener(listener)) count += 1;
  return count;
}

/** Whether nothing has changed; runs after each module, so it allocates as little as possible. */
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

/**
 * Whether this change in listeners matters. One more for `exit` is a module's cleanup; one less belongs to something
 * else.
 */
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

/** The module to which an error or a stack belongs; `undefined` for anything else. */
type OwnerOf = (error: unknown) => string | undefined;
type Leave = (code?: number) => never;

const ways = ["exit", "reallyExit"] as const;
type Exits = Record<(typeof ways)[number], Leave>;

/** Per process, as `process.exit` is: who is asked, and what was there before. */
const owners = new Set<{ readonly of: OwnerOf }>();
const replaced = new Map<(typeof ways)[number], { readonly method: Leave; readonly remove: () => void }>();
/** `process.exit` ends in `process.reallyExit`, which was decided then. */
let leaving = false;

/**
 * Makes `process.exit` an error for loaded modules' code at any time; other code still exits. It is also an error if no
 * code calls it, for example when it was passed to a timer: a host must call it directly. Returns the undo. Called
 * again with each load, because other code may have replaced the function meanwhile.
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
      // Without a frame of hookline's, an uncaught error is the module's.
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

/** The direct caller of `callee`, if it must not exit; code further down the stack did not ask for the exit. */
function culpritOf(callee: Leave): string | undefined {
  const caller = { stack: "" };
  const { stackTraceLimit, prepareStackTrace } = Error;
  // A module may have replaced both.
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

/** One load that errors may still come from. */
interface Held {
  /** The module's entry path. */
  readonly path: string;
  /** That of the transport which loads it. It may not know about others' modules, and about none before it has loaded one. */
  readonly owner: OwnerOf;
  /** Called for an uncaught error, with the path of its module, or without it if the stack names no code. */
  report(error: unknown, path: string | undefined): void;
}

/** Per process, as uncaught errors are. */
const held = new Set<Held>();
/** That of the load which was released last; `undefined` until one has been held. */
let released: OwnerOf | undefined;

/**
 * Keeps a module's uncaught errors in timers, listeners and promises from ending the process, and reports them to the
 * module's loads. The host's own errors still end it. Returns the undo.
 *
 * The listener stays afterwards, because a module's timers outlive its load.
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
    // Another listener has decided that the process continues.
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

/** Whether code outside Node stands on an error's stack; without any, a module's is likelier than the host's. */
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
