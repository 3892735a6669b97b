import { importPeer } from "../peer.ts";

/** Another dispatcher with handlers of one event, each of which answers with a promise of undefined. */
export interface Emitter {
  readonly name: string;
  /** Settles when every handler has been awaited, in order; not a promise if the dispatcher needs none. */
  emit(fields: object): unknown;
  /** Emits this many events and awaits each; every dispatcher has its own loop, so that none slows down another. */
  run(times: number, fields: object): Promise<void>;
}

/** pi's name and version in the results. */
export const PI = "pi 0.87.1";

interface PiRunner {
  emit(event: object): Promise<unknown>;
}

/**
 * The parts of pi for building its runner by hand. Each is imported from its own file, so that nothing else is loaded.
 */
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

/** Makes separate handler functions, as hook authors would write them. */
function handlers(count: number): (() => Promise<void>)[] {
  return Array.from({ length: count }, () => async () => undefined);
}

const KINDS = ["tools", "messageRenderers", "entryRenderers", "commands", "flags", "shortcuts"];

/** Makes pi's own runner of one session, with extensions that listen to an event of this type with these handlers. */
async function piRunner(type: string, extensions: readonly (readonly object[])[]): Promise<PiRunner> {
  const { ExtensionRunner, createExtensionRuntime, SessionManager } = await piParts();
  const loaded = extensions.map((own, i) => ({
    path: `/bench/${i}`,
    resolvedPath: `/bench/${i}`,
    handlers: new Map(own.length === 0 ? [] : [[type, own]]),
    ...Object.fromEntries(KINDS.map((kind) => [kind, new Map()])),
  }));
  return new ExtensionRunner(loaded, createExtensionRuntime(), "/", SessionManager.inMemory(), {});
}

/** Makes an emitter from pi's own runner of one session. */
export async function piEmitter(count: number, type = "turn_start"): Promise<Emitter> {
  const runner = await piRunner(type, [handlers(count)]);
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

/** Makes an emitter from hookable, which calls handlers one after the other, with its usual `createHooks`. */
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

/** Makes an emitter from tapable's series hook, not its waterfall, because the answers to this event are not used. */
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
