import { MAX_MS, messageOf, type Timer } from "@hookline/ground";
import type { HostServices } from "@hookline/runtime";
import type { Call, Instance } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import type { HostControl, ModelRef } from "@hookline/runtime/engine";
import { aliveFor, InProcessContext, makeUi, ownerOf } from "../../in-process/context.ts";
import type { Owner } from "../../in-process/owner.ts";
import { createUi } from "../../in-process/screen.ts";
import { type Asking, type AskOptions, alive } from "../../in-process/ui.ts";

const running = Symbol("hookline.omp.call");
const asked = Symbol("hookline.omp.event");

/** The base class of both of omp's contexts. */
class OmpContext extends InProcessContext {
  readonly [running]: Call | undefined;
  readonly [asked]: unknown;

  constructor(owner: Owner, call?: Call, event?: unknown) {
    super(owner, call, event);
    this[running] = call;
    this[asked] = event;
  }

  /** Adds members of `SessionControl` to a class of contexts. */
  protected static lend(to: { readonly prototype: OmpContext }, ...names: readonly (keyof SessionControl)[]): void {
    for (const name of names) {
      Object.defineProperty(to.prototype, name, {
        configurable: true,
        get(this: OmpContext) {
          return sessionControl(this[ownerOf])[name];
        },
      });
    }
  }
}

/** Returns the handler call for which a context was made. */
export function callOf(ctx: object): Call | undefined {
  return (ctx as Partial<OmpContext>)[running];
}

type CompactOptions = Parameters<InProcessContext["compact"]>[0];

/**
 * omp's `ExtensionContext`, which hooks get too (ruling 64). It cannot control the session: a handler that did so
 * would wait for itself. Source: spec/omp.md 2.5.
 */
export class ExtensionContext extends OmpContext {
  protected override [makeUi](asking: Asking, services: HostServices): Record<string, unknown> {
    return extensionUi(asking, services);
  }

  get models(): {
    list(): readonly unknown[];
    current(): ModelRef | undefined;
    resolve(pattern: string): unknown;
    family(model?: ModelRef): string | undefined;
  } {
    const registry = this.modelRegistry as { readonly getAvailable?: () => readonly ModelRef[] };
    const list = (): readonly ModelRef[] => registry.getAvailable?.() ?? [];
    return {
      list,
      current: () => this.model,
      resolve: (pattern) => list().find((model) => pattern === model.id || pattern === `${model.provider}/${model.id}`),
      family: (model = this.model) => /^[a-z]+/i.exec(model?.id ?? "")?.[0],
    };
  }

  /** Returns the blocks of the system prompt, as earlier handlers of the same event left them. */
  override get getSystemPrompt(): () => never {
    // The base class returns one text, as in pi; omp returns a list of texts.
    return (() => {
      const shown = (this[asked] as { readonly systemPrompt?: unknown } | undefined)?.systemPrompt;
      return Array.isArray(shown) ? [...shown] : [super.getSystemPrompt()];
    }) as () => never;
  }

  /** Starts a compaction, with instructions as a text or with pi's options. The promise settles when it is done. */
  override get compact(): (options?: CompactOptions | string) => Promise<void> {
    const start = super.compact;
    return (given = {}) => {
      const options = typeof given === "string" ? { customInstructions: given } : given;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      // The caller may not await the promise, and an unhandled rejection would end the host.
      promise.catch(() => {});
      if (!this[aliveFor]("compact")) resolve();
      start({
        ...options,
        onComplete(result) {
          options.onComplete?.(result);
          resolve();
        },
        onError(error) {
          options.onError?.(error);
          reject(error);
        },
      });
      return promise;
    };
  }

  /** Always true: hooks of a project run only after the user has approved them. */
  get isProjectTrusted(): () => boolean {
    return () => true;
  }

  /** Always empty: hookline has no jobs that outlive a tool call. */
  get getAsyncJobSnapshot(): () => { readonly running: readonly never[]; readonly recent: readonly never[] } {
    return () => ({ running: [], recent: [] });
  }

  get setTimeout(): ManagedTimers["setTimeout"] {
    return managedTimers(this[ownerOf]).setTimeout;
  }

  get setInterval(): ManagedTimers["setInterval"] {
    return managedTimers(this[ownerOf]).setInterval;
  }

  get clearTimer(): ManagedTimers["clearTimer"] {
    return managedTimers(this[ownerOf]).clearTimer;
  }
}

/** omp's `ExtensionCommandContext`, the context of commands, which can control the session. */
export class ExtensionCommandContext extends ExtensionContext {
  declare readonly waitForIdle: SessionControl["waitForIdle"];
  declare readonly newSession: SessionControl["newSession"];
  declare readonly branch: SessionControl["branch"];
  declare readonly navigateTree: SessionControl["navigateTree"];
  declare readonly switchSession: SessionControl["switchSession"];
  declare readonly reload: SessionControl["reload"];

  static {
    ExtensionContext.lend(
      ExtensionCommandContext,
      "waitForIdle",
      "newSession",
      "branch",
      "navigateTree",
      "switchSession",
      "reload",
    );
  }
}

type Cancelled = Promise<{ readonly cancelled: boolean }>;

/** Functions that only commands may call. A handler that called them would wait for itself. */
export interface SessionControl {
  waitForIdle(): Promise<void>;
  newSession(options?: Parameters<HostControl["newSession"]>[0]): Cancelled;
  branch(entryId: string): Cancelled;
  navigateTree(targetId: string, options?: Parameters<HostControl["navigateTree"]>[1]): Cancelled;
  switchSession(path: string): Cancelled;
  reload(): Promise<void>;
}

/**
 * Makes the functions with which one module's commands control the session. If the host cannot, they do nothing and
 * report `cancelled: false`, as in omp. After the module's own session has ended, they report `cancelled: true`.
 */
export function sessionControl(owner: Owner): SessionControl {
  const { control } = owner.around.services;
  const run = async <T>(member: string, gone: T, without: T, ask: () => Promise<T> | undefined): Promise<T> => {
    if (!alive(owner.instance, `ctx.${member}`)) return gone;
    return (await ask()) ?? without;
  };
  const moving = (member: string, ask: () => Cancelled | undefined): Cancelled =>
    run(member, { cancelled: true }, { cancelled: false }, ask);
  return {
    waitForIdle: () => run("waitForIdle", undefined, undefined, async () => control?.waitForIdle()),
    newSession: ({ parentSession, setup } = {}) =>
      moving("newSession", () => control?.newSession({ parentSession, setup })),
    branch: (entryId) => moving("branch", () => control?.branch(entryId, { named: "branching" })),
    navigateTree: (targetId, options) => moving("navigateTree", () => control?.navigateTree(targetId, options)),
    switchSession: (path) => moving("switchSession", () => control?.switchSession(path)),
    reload: () => run("reload", undefined, undefined, async () => control?.reload()),
  };
}

/** Timers that end with their module. An error in a callback is reported and does not end the process. */
export interface ManagedTimers {
  setTimeout(run: () => unknown, ms?: number): object;
  setInterval(run: () => unknown, ms?: number): object;
  /** Ends a timeout or interval. Ignores any other value. */
  clearTimer(handle: unknown): void;
}

/** The running timers of each module, by the handle that the module got. */
const armed = new WeakMap<Instance, Map<object, Timer>>();

/** Makes the timers of one module. An interval is armed again each time its callback is about to run. */
export function managedTimers({ around, instance }: Owner): ManagedTimers {
  const start = (member: string, run: () => unknown, ms: number, again: boolean): object => {
    const handle = {};
    if (!alive(instance, `ctx.${member}`) || typeof run !== "function") return handle;
    const timers = timersOf(instance);
    const arm = (): void => {
      const wait = Math.min(Math.max(Number(ms) || 0, 1), MAX_MS);
      timers.set(
        handle,
        around.clock.timer(wait, () => {
          timers.delete(handle);
          if (again) arm();
          fire(instance, run);
        }),
      );
    };
    arm();
    return handle;
  };
  return {
    setTimeout: (run, ms = 0) => start("setTimeout", run, ms, false),
    setInterval: (run, ms = 0) => start("setInterval", run, ms, true),
    clearTimer(handle) {
      const timers = timersOf(instance);
      timers.get(handle as object)?.cancel();
      timers.delete(handle as object);
    },
  };
}

function timersOf(instance: Instance): Map<object, Timer> {
  const known = armed.get(instance);
  if (known !== undefined) return known;
  const timers = new Map<object, Timer>();
  armed.set(instance, timers);
  instance.own(() => {
    for (const timer of timers.values()) timer.cancel();
    timers.clear();
  });
  return timers;
}

function fire(instance: Instance, run: () => unknown): void {
  const failed = (thrown: unknown): void => {
    const details = { path: instance.source.path, problem: messageOf(thrown) };
    instance.report(diagnose("HOOK_LATE_ERROR", details, { source: instance.source }));
  };
  try {
    Promise.resolve(run()).catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}

type Ui = Record<string, unknown>;
type Factory = (tui: unknown, theme: unknown, keys: unknown, done: unknown) => unknown;
type Choice = string | { readonly label?: unknown };

/**
 * Makes omp's `ExtensionUIContext`. In contrast to pi's, its editor takes `{ promptStyle }` as a fourth argument,
 * choices can be objects with a label, and a component's factory with three parameters gets `done` as the third
 * (ruling 23).
 */
export function extensionUi(asking: Asking, services: HostServices): Ui {
  const ui = createUi(asking, services);
  return Object.defineProperties(ui, {
    select: member((title: string, choices: readonly Choice[], dialog?: AskOptions) =>
      asking.select(title, choices.map(labelOf), dialog),
    ),
    editor: member((title: string, prefill?: string, dialog?: AskOptions, style?: AskOptions) =>
      asking.editor(title, prefill, { ...dialog, ...style }),
    ),
    custom: member((factory: unknown, options?: unknown) => asking.custom(fourParameters(factory), options)),
    setStatus: member((key: string, text: string | undefined) =>
      asking.screen("ui.setStatus")?.setStatus?.(key, text === undefined ? undefined : oneLine(text)),
    ),
  });
}

function member(value: (...args: never[]) => unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true };
}

function labelOf(choice: Choice): string {
  return typeof choice === "string" ? choice : String(choice.label ?? "");
}

/** Adapts omp's older factories, which have three parameters, to the host, which calls them with four arguments. */
function fourParameters(factory: unknown): unknown {
  if (typeof factory !== "function" || factory.length !== 3) return factory;
  const older = factory as (tui: unknown, theme: unknown, done: unknown) => unknown;
  const newer: Factory = (tui, theme, _keys, done) => older(tui, theme, done);
  return newer;
}

/** Puts a status text on one line: every run of white space becomes one space. Source: seed 002. */
export function oneLine(text: string): string {
  return String(text)
    .replace(/[\r\n\t]/g, " ")
    .replace(/ +/g, " ")
    .trim();
}
