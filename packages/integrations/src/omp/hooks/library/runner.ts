import { messageOf } from "@hookline/ground";
import type { Outcome } from "@hookline/runtime";
import type { Hook } from "@hookline/runtime/engine";
import type { Owner } from "../../../in-process/owner.ts";
import { plainTheme } from "../../../in-process/screen.ts";
import { joined, type ToolCallOutcome } from "../views.ts";
import type { HookHandler, LoadedHook, RegisteredCommand } from "./collected.ts";
import { instanceOf, tellSafely } from "./hook.ts";
import { type Asker, createAsker } from "./series.ts";

/** A handler's failure, as a runner passes it to its `onError` listeners. */
export interface HookError {
  readonly hookPath: string;
  readonly event: string;
  readonly error: string;
}

/** The services that a caller passes to a runner once its session is ready. Every member is optional here. */
export interface RunnerOptions {
  getModel?(): unknown;
  sendMessageHandler?: Parameters<LoadedHook["setSendMessageHandler"]>[0];
  appendEntryHandler?: Parameters<LoadedHook["setAppendEntryHandler"]>[0];
  newSessionHandler?(options?: unknown): Promise<unknown>;
  branchHandler?(entryId: string): Promise<unknown>;
  navigateTreeHandler?(targetId: string, options?: unknown): Promise<unknown>;
  isIdle?(): boolean;
  waitForIdle?(): Promise<void>;
  abort?(): void;
  hasQueuedMessages?(): boolean;
  readonly uiContext?: object;
  readonly hasUI?: boolean;
}

/** The arguments of a runner's constructor. The last two are passed to handlers unchanged. */
export type RunnerParts = readonly [
  hooks: LoadedHook[],
  cwd: string,
  sessionManager?: unknown,
  modelRegistry?: unknown,
];

interface Event {
  readonly type: string;
}

const goesOn = async (): Promise<unknown> => ({ cancelled: false });

/** The `ui` of handlers without a user interface: dialogs are dismissed, everything else does nothing. */
const noUi: object = Object.freeze({
  select: async () => undefined,
  confirm: async () => false,
  input: async () => undefined,
  editor: async () => undefined,
  custom: async () => undefined,
  notify: () => {},
  setStatus: () => {},
  setEditorText: () => {},
  getEditorText: () => "",
  theme: plainTheme,
});

/**
 * omp's `HookRunner`: asks loaded hooks about one event at a time, by the rows of HookAPI. Hooks are asked in the given
 * order, and each one's handlers in the order of their registration. Handlers can be added while an event runs. Events
 * are passed on without a copy, so that the caller sees edits in place.
 */
export class SeriesRunner {
  readonly #owner: Owner;
  readonly #hooks: LoadedHook[];
  readonly #cwd: string;
  readonly #sessionManager: unknown;
  readonly #modelRegistry: unknown;
  readonly #listeners = new Set<(error: HookError) => unknown>();
  readonly #asker: Asker;
  #options: RunnerOptions = {};

  constructor(owner: Owner, ...[hooks, cwd, sessionManager, modelRegistry]: RunnerParts) {
    this.#owner = owner;
    this.#hooks = hooks;
    this.#cwd = cwd;
    this.#sessionManager = sessionManager;
    this.#modelRegistry = modelRegistry;
    this.#asker = createAsker(owner);
  }

  initialize(options: RunnerOptions): void {
    this.#options = options;
    for (const hook of this.#hooks) {
      if (options.sendMessageHandler !== undefined) hook.setSendMessageHandler(options.sendMessageHandler);
      if (options.appendEntryHandler !== undefined) hook.setAppendEntryHandler(options.appendEntryHandler);
    }
  }

  getCwd(): string {
    return this.#cwd;
  }

  getUIContext(): object {
    return this.#options.uiContext ?? noUi;
  }

  getHasUI(): boolean {
    return this.#options.hasUI ?? false;
  }

  getHookPaths(): string[] {
    return this.#hooks.map(({ path }) => path);
  }

  /** Calls a listener with every failure that is not thrown to the caller. Returns a function that removes it. */
  onError(listener: (error: HookError) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emitError(error: HookError): void {
    for (const listener of [...this.#listeners]) {
      tellSafely(this.#owner.instance, `errors of ${error.hookPath}`, () => listener(error));
    }
  }

  hasHandlers(type: string): boolean {
    return this.#hooks.some(({ handlers }) => (handlers.get(type)?.length ?? 0) > 0);
  }

  /** Returns the renderer of a message type. If several hooks have one, the first loaded wins. */
  getMessageRenderer(customType: string): unknown {
    return this.#hooks
      .find(({ messageRenderers }) => messageRenderers.has(customType))
      ?.messageRenderers.get(customType);
  }

  /** Returns all commands, even those hidden by an earlier one of the same name. */
  getRegisteredCommands(): RegisteredCommand[] {
    return this.#hooks.flatMap(({ commands }) => [...commands.values()]);
  }

  /** Returns the command of this name. If several hooks have one, the first loaded wins. */
  getCommand(name: string): RegisteredCommand | undefined {
    return this.#hooks.find(({ commands }) => commands.has(name))?.commands.get(name);
  }

  createCommandContext(): object {
    const { waitForIdle, newSessionHandler, branchHandler, navigateTreeHandler } = this.#options;
    return {
      ...this.#context(),
      waitForIdle: waitForIdle ?? (async () => {}),
      newSession: newSessionHandler ?? goesOn,
      branch: branchHandler ?? goesOn,
      navigateTree: navigateTreeHandler ?? goesOn,
    };
  }

  /** Asks the hooks about any event except a tool call. Returns the folded answer, if the event takes one. */
  async emit(event: Event): Promise<unknown> {
    return (await this.#ask(event)).answer["outcome"];
  }

  /** Asks the hooks about a tool call. A handler's error is thrown unchanged, because it must not look like consent. */
  async emitToolCall(event: Event): Promise<unknown> {
    const outcome = (await this.#ask(event)).answer["outcome"] as
      | (ToolCallOutcome & { readonly thrown?: readonly [unknown] })
      | undefined;
    if (outcome === undefined) return undefined;
    const { thrown, additionalContext, ...rest } = outcome;
    if (thrown !== undefined) throw thrown[0];
    const context = joined(additionalContext);
    return { ...rest, ...(context !== undefined && { additionalContext: context }) };
  }

  async emitContext(messages: readonly unknown[]): Promise<readonly unknown[]> {
    const outcome = await this.emit({ type: "context", messages } as Event);
    return (outcome as { readonly messages?: readonly unknown[] } | undefined)?.messages ?? messages;
  }

  async emitBeforeAgentStart(prompt: string, images?: readonly unknown[]): Promise<unknown> {
    const outcome = await this.emit({ type: "before_agent_start", prompt, images } as Event);
    return (outcome as { readonly message?: unknown } | undefined)?.message === undefined ? undefined : outcome;
  }

  #ask(event: Event): Outcome | Promise<Outcome> {
    const hooks: Hook[] = [];
    const taken = new Map<LoadedHook, number>();
    const context = this.#context();
    const collect = (): void => {
      for (const loaded of this.#hooks) {
        const handlers = loaded.handlers.get(event.type) ?? [];
        for (let i = taken.get(loaded) ?? 0; i < handlers.length; i++) {
          hooks.push(this.#hook(loaded, event.type, handlers[i] as HookHandler, context, collect));
        }
        taken.set(loaded, handlers.length);
      }
    };
    collect();
    return this.#asker.ask(event, hooks);
  }

  /** Wraps one handler for the dispatch. `collect` runs after the handler, to add handlers that it has registered. */
  #hook(loaded: LoadedHook, event: string, handler: HookHandler, context: object, collect: () => void): Hook {
    const instance = instanceOf(this.#owner, loaded);
    const swallowed = event !== "tool_call";
    return this.#asker.hook(instance, event, async (given: never) => {
      try {
        return await handler(given, context as never);
      } catch (thrown) {
        if (swallowed) this.emitError({ hookPath: loaded.path, event, error: messageOf(thrown) });
        throw thrown;
      } finally {
        collect();
      }
    });
  }

  #context(): object {
    const { getModel, isIdle, abort, hasQueuedMessages } = this.#options;
    const queued = hasQueuedMessages ?? (() => false);
    return {
      ui: this.getUIContext(),
      hasUI: this.getHasUI(),
      cwd: this.#cwd,
      sessionManager: this.#sessionManager,
      modelRegistry: this.#modelRegistry,
      model: getModel?.(),
      isIdle: isIdle ?? (() => true),
      abort: abort ?? (() => {}),
      hasQueuedMessages: queued,
      hasPendingMessages: queued,
    };
  }
}
