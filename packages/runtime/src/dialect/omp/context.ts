import type { ModelRef } from "../../catalog/shape.ts";
import type { Call } from "../../hook/call.ts";
import type { HostServices } from "../../port/host.ts";
import { aliveFor, InProcessContext, makeUi, ownerOf } from "../inprocess/context.ts";
import type { Owner } from "../inprocess/owner.ts";
import type { Asking } from "../ui.ts";
import { type SessionControl, sessionControl } from "./control.ts";
import { type ManagedTimers, managedTimers } from "./timer.ts";
import { extensionUi } from "./ui.ts";

const running = Symbol("hookline.omp.call");
const asked = Symbol("hookline.omp.event");

/** What both of omp's contexts are made of. */
class OmpContext extends InProcessContext {
  readonly [running]: Call | undefined;
  readonly [asked]: unknown;

  constructor(owner: Owner, call?: Call, event?: unknown) {
    super(owner, call, event);
    this[running] = call;
    this[asked] = event;
  }

  /** Gives a class the control over the session that its commands have. */
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

/** The running handler that a context was made for. */
export function callOf(ctx: object): Call | undefined {
  return (ctx as Partial<OmpContext>)[running];
}

type CompactOptions = Parameters<InProcessContext["compact"]>[0];

/** omp's `ExtensionContext`, which hooks are given too (decision 64); control over the session is left to commands, because a handler would wait for itself. Source: spec/omp.md 2.5. */
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

  /** The prompt's blocks; earlier handlers of the same event may have changed them. */
  override get getSystemPrompt(): () => never {
    // The base class gives one text, as pi has it; in omp the member is a list of texts.
    return (() => {
      const shown = (this[asked] as { readonly systemPrompt?: unknown } | undefined)?.systemPrompt;
      return Array.isArray(shown) ? [...shown] : [super.getSystemPrompt()];
    }) as () => never;
  }

  /** Instructions, or the options of pi's; settles when the compaction is done. */
  override get compact(): (options?: CompactOptions | string) => Promise<void> {
    const start = super.compact;
    return (given = {}) => {
      const options = typeof given === "string" ? { customInstructions: given } : given;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      // Nobody need wait for it, and a failure that nobody waits for must not end the host.
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

  /** Hooks of a project run only when a person has approved them, so this is always so. */
  get isProjectTrusted(): () => boolean {
    return () => true;
  }

  /** hookline has no jobs that outlive a tool call. */
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

/** omp's `ExtensionCommandContext`. */
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
