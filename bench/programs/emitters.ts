import { importPeer } from "../peer.ts";

/** Another dispatcher with handlers of one event, which all answer with a promise of nothing. */
export interface Emitter {
  readonly name: string;
  /** Settles when every handler has been awaited, in order; not a promise where the dispatcher needs none. */
  emit(fields: object): unknown;
  /** So many events, each awaited; a loop of its own for each dispatcher, so that none slows another's down. */
  run(times: number, fields: object): Promise<void>;
}

/** What pi is called beside its figures. */
export const PI = "pi 0.87.1";

interface PiRunner {
  emit(event: object): Promise<unknown>;
}

/** The parts of pi that are needed to build its runner by hand, each from its own file: none of the rest is loaded. */
interface PiParts {
  readonly ExtensionRunner: new (...parts: unknown[]) => PiRunner;
  createExtensionRuntime(): unknown;
  readonly SessionManager: { inMemory(): unknown };
}

async function piParts(): Promise<PiParts> {
  const files = ["extensions/runner", "extensions/loader", "session-manager"];
  const parts = files.map((file) =>
    importPeer<Partial<PiParts>>("@earendil-works/pi-coding-agent", "0.87.1", `dist/core/${file}.js`),
  );
  return Object.assign({}, ...(await Promise.all(parts))) as PiParts;
}

/** One handler for each, as a hook's author would write them. */
function handlers(count: number): (() => Promise<void>)[] {
  return Array.from({ length: count }, () => async () => undefined);
}

/** pi's own runner of one session. */
export async function piEmitter(count: number, type = "turn_start"): Promise<Emitter> {
  const { ExtensionRunner, createExtensionRuntime, SessionManager } = await piParts();
  const kinds = ["tools", "messageRenderers", "entryRenderers", "commands", "flags", "shortcuts"];
  const extension = {
    path: "/bench",
    resolvedPath: "/bench",
    handlers: new Map(count === 0 ? [] : [[type, handlers(count)]]),
    ...Object.fromEntries(kinds.map((kind) => [kind, new Map()])),
  };
  const runner = new ExtensionRunner([extension], createExtensionRuntime(), "/", SessionManager.inMemory(), {});
  return {
    name: PI,
    emit: (fields) => runner.emit({ type, ...fields }),
    async run(times, fields) {
      for (let i = 0; i < times; i++) await runner.emit({ type, ...fields });
    },
  };
}

interface Hooks {
  hook(name: string, handler: () => unknown): unknown;
  callHook(name: string, payload: object): unknown;
}

/** hookable, which calls one handler after the other, through its usual `createHooks`. */
export async function hookableEmitter(count: number): Promise<Emitter> {
  const { createHooks } = await importPeer<{ createHooks(): Hooks }>("hookable", "6.1.2", "dist/index.mjs");
  const hooks = createHooks();
  for (const handler of handlers(count)) hooks.hook("turn.start", handler);
  return {
    name: "hookable 6.1.2",
    emit: (fields) => hooks.callHook("turn.start", fields),
    async run(times, fields) {
      for (let i = 0; i < times; i++) await hooks.callHook("turn.start", fields);
    },
  };
}

interface Series {
  tapPromise(name: string, handler: () => Promise<unknown>): void;
  promise(payload: object): Promise<unknown>;
}

/** tapable's series, not its waterfall: nothing is made of the answers to this event. */
export async function tapableEmitter(count: number): Promise<Emitter> {
  const { AsyncSeriesHook } = await importPeer<{ AsyncSeriesHook: new (args: string[]) => Series }>("tapable", "2.3.4");
  const hook = new AsyncSeriesHook(["fields"]);
  for (const [i, handler] of handlers(count).entries()) hook.tapPromise(`hook-${i}`, handler);
  return {
    name: "tapable 2.3.4",
    emit: (fields) => hook.promise(fields),
    async run(times, fields) {
      for (let i = 0; i < times; i++) await hook.promise(fields);
    },
  };
}
