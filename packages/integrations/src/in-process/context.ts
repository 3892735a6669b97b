import type { HostServices } from "@hookline/runtime";
import type { Call, Scene } from "@hookline/runtime/dialect";
import type { HostAgent, ModelRef } from "@hookline/runtime/engine";
import type { Owner } from "./owner.ts";
import { createUi } from "./screen.ts";
import { Asking, alive } from "./ui.ts";

/** The internals of a context. They are stored under a symbol, so objects derived from the context have them too. */
interface Inner {
  owner: Owner;
  readonly call: Call | undefined;
  readonly event: unknown;
  ui: Record<string, unknown> | undefined;
}

const inner = Symbol("hookline.context");

// Members that only hookline uses have symbols as names, so modules find only the members that `ctx` has in pi or omp.

/** Returns whether the module is still loaded; if not, reports that it used this member of `ctx`. */
export const aliveFor: unique symbol = Symbol("hookline.context.alive");
/** Returns the host's agent; `undefined` if the host has none or the module is unloaded. */
export const agentFor: unique symbol = Symbol("hookline.context.agent");
/** The module whose handler got the context. */
export const ownerOf: unique symbol = Symbol("hookline.context.owner");
/** Makes a context use the session that has replaced its own. */
export const moveTo: unique symbol = Symbol("hookline.context.move");
/** Makes `ctx.ui`, once per context. Dialects whose `ctx.ui` has other members override this. */
export const makeUi: unique symbol = Symbol("hookline.context.ui");

type CompactOptions = Parameters<HostAgent["compact"]>[0];

const namesByClass = new WeakMap<object, ReadonlySet<string>>();

/**
 * Lists the context's members as own properties. So `{ ...ctx }` and a copy of its property descriptors contain them,
 * as in pi and omp. Members are still computed only on access.
 */
export function listed<C extends InProcessContext>(context: C): C {
  return new Proxy<C>(context, listing);
}

const listing = {
  ownKeys: (context: InProcessContext) => [...Reflect.ownKeys(context), ...membersOf(context)],
  getOwnPropertyDescriptor: (context: InProcessContext, key: string | symbol) =>
    typeof key === "string" && membersOf(context).has(key)
      ? { get: () => Reflect.get(context, key), enumerable: true, configurable: true }
      : Reflect.getOwnPropertyDescriptor(context, key),
};

function membersOf(context: InProcessContext): ReadonlySet<string> {
  const own = Object.getPrototypeOf(context) as object;
  const known = namesByClass.get(own);
  if (known !== undefined) return known;
  const names = new Set<string>();
  for (let part = own; part !== Object.prototype; part = Object.getPrototypeOf(part))
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(part)))
      if (get !== undefined) names.add(name);
  namesByClass.set(own, names);
  return names;
}

/**
 * `ctx`, through which a module's handler uses its session. Each call of a handler gets its own object, which creates
 * nothing before it is used. Methods are getters that return functions, so that they can be detached from the object.
 *
 * After the session has ended, members do nothing, and the first use is reported.
 */
export class InProcessContext {
  // Uses `declare`: an initialised field would cost V8 an extra function, and every handler call makes a context.
  declare readonly [inner]: Inner;

  constructor(owner: Owner, call?: Call, event?: unknown) {
    this[inner] = { owner, call, event, ui: undefined };
  }

  get ui(): Record<string, unknown> {
    const own = this[inner];
    const { around, instance } = own.owner;
    return (own.ui ??= this[makeUi](new Asking(around.services, instance, own.call), around.services));
  }

  protected [makeUi](asking: Asking, services: HostServices): Record<string, unknown> {
    return createUi(asking, services);
  }

  get mode(): NonNullable<HostServices["mode"]> {
    return this[inner].owner.around.services.mode ?? "print";
  }

  /** Whether dialogs can be answered (ruling 6a). */
  get hasUI(): boolean {
    const { mode, ui } = this[inner].owner.around.services;
    return ui !== undefined && (mode === "tui" || mode === "rpc");
  }

  get cwd(): string {
    return this[inner].owner.around.scene.cwd;
  }

  get sessionManager(): object {
    const { around } = this[inner].owner;
    const own = this[aliveFor]("sessionManager") ? around.services.sessionManager : undefined;
    return own ?? sceneSession(around.scene);
  }

  get modelRegistry(): object {
    const own = this[aliveFor]("modelRegistry") ? this[inner].owner.around.services.modelRegistry : undefined;
    return own ?? noModels;
  }

  get model(): ModelRef | undefined {
    return this[aliveFor]("model") ? this[inner].owner.around.services.models?.current() : undefined;
  }

  /** Aborts together with the running turn; `undefined` while the agent is idle. */
  get signal(): AbortSignal | undefined {
    return this[agentFor]("signal")?.signal();
  }

  get isIdle(): () => boolean {
    return () => this[agentFor]("isIdle")?.isIdle() ?? true;
  }

  get abort(): () => void {
    return () => this[agentFor]("abort")?.abort();
  }

  get hasPendingMessages(): () => boolean {
    return () => this[agentFor]("hasPendingMessages")?.hasPendingMessages() ?? false;
  }

  get hasQueuedMessages(): () => boolean {
    return this.hasPendingMessages;
  }

  get shutdown(): () => void {
    return () => this[agentFor]("shutdown")?.shutdown();
  }

  get getContextUsage(): () => ReturnType<HostAgent["contextUsage"]> {
    return () => this[agentFor]("getContextUsage")?.contextUsage();
  }

  get compact(): (options?: CompactOptions) => void {
    return (options = {}) => {
      if (!this[aliveFor]("compact")) return;
      const { agent } = this[inner].owner.around.services;
      if (agent === undefined) options.onError?.(new Error("This host has no compaction"));
      else agent.compact(options);
    };
  }

  /** Returns the system prompt as earlier handlers of this event changed it, or else the agent's. */
  get getSystemPrompt(): () => string {
    return () => {
      const shown = (this[inner].event as { readonly systemPrompt?: unknown } | undefined)?.systemPrompt;
      if (typeof shown === "string") return shown;
      const { scene } = this[inner].owner.around;
      return this[agentFor]("getSystemPrompt")?.systemPrompt() ?? scene.systemPrompt?.() ?? "";
    };
  }

  protected [aliveFor](member: string): boolean {
    return alive(this[inner].owner.instance, `ctx.${member}`);
  }

  protected [agentFor](member: string): HostAgent | undefined {
    return this[aliveFor](member) ? this[inner].owner.around.services.agent : undefined;
  }

  protected get [ownerOf](): Owner {
    return this[inner].owner;
  }

  protected [moveTo](owner: Owner): void {
    this[inner].owner = owner;
    this[inner].ui = undefined;
  }
}

/**
 * Makes a read-only session for hosts without one. It contains only the conversation, as a chain of entries. Members
 * that would write do nothing.
 */
export function sceneSession(scene: Scene): object {
  const entries = (): { readonly id: string }[] =>
    (scene.messages?.() ?? []).map((message, i) => ({
      type: "message",
      id: `m${i}`,
      parentId: i === 0 ? null : `m${i - 1}`,
      timestamp: new Date(message.timestamp ?? 0).toISOString(),
      message,
    }));
  return {
    getCwd: () => scene.cwd,
    getSessionDir: () => "",
    getSessionId: () => scene.sessionId,
    getSessionFile: () => undefined,
    getSessionName: () => undefined,
    getHeader: () => null,
    getLeafId: () => entries().at(-1)?.id ?? null,
    getLeafEntry: () => entries().at(-1),
    getEntry: (id: string) => entries().find((entry) => entry.id === id),
    getLabel: () => undefined,
    getBranch: entries,
    getEntries: entries,
    getEntryCount: () => entries().length,
    getChildren: () => [],
    getTree: () => [],
    buildSessionContext: () => ({ messages: scene.messages?.() ?? [], thinkingLevel: "off", model: null }),
  };
}

/** A model registry without any models, for hosts that have no registry. */
export const noModels: object = Object.freeze({
  find: () => undefined,
  getAll: () => [],
  getAvailable: () => [],
  hasConfiguredAuth: () => false,
  getApiKey: async () => undefined,
  getApiKeyForProvider: async () => undefined,
  getApiKeyAndHeaders: async () => ({ ok: false, error: "This host has no models" }),
  refresh: () => {},
  getError: () => undefined,
});
