import type { HostServices } from "@hookline/runtime";
import type { Scene } from "@hookline/runtime/dialect";
import type { HostControl } from "@hookline/runtime/engine";
import { Instance } from "@hookline/runtime/engine";
import { createActions } from "../../in-process/actions.ts";
import { agentFor, aliveFor, InProcessContext, listed, moveTo, ownerOf } from "../../in-process/context.ts";
import type { Owner } from "../../in-process/owner.ts";
import { alive } from "../../in-process/ui.ts";
import { noOptions } from "./start.ts";

/** pi's `ExtensionContext`, which handlers get. */
export class PiContext extends InProcessContext {
  /** The models that the session is limited to. Always empty, which means that all models may be used. */
  get scopedModels(): readonly unknown[] {
    return [];
  }

  get thinkingLevel(): string | undefined {
    return this[aliveFor]("thinkingLevel") ? this[ownerOf].around.services.models?.thinkingLevel() : undefined;
  }

  /** True for a project's hooks, whose contents the user has approved; false for all others. */
  get isProjectTrusted(): () => boolean {
    return () => this[ownerOf].instance.source.tier === "project";
  }
}

const agentOf = Symbol("hookline.pi.agent");

/** The functions that an agent passes to a tool that may call other tools. */
interface CallsTools {
  readonly tools?: readonly unknown[];
  executeTool?(name: string, args: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

/** pi's `ExtensionToolContext`, which a running tool gets. Since pi 0.99. */
export class PiToolContext extends PiContext {
  readonly [agentOf]: CallsTools;

  constructor(owner: Owner, agent: object) {
    super(owner);
    this[agentOf] = agent;
  }

  /** The other tools that the running tool may call with `executeTool`. */
  get tools(): readonly unknown[] {
    return this[agentOf].tools ?? [];
  }

  /** Runs another tool as if the model had called it: all guards are asked about the call. */
  get executeTool(): NonNullable<CallsTools["executeTool"]> {
    const { executeTool } = this[agentOf];
    if (executeTool === undefined) throw new Error("ctx.executeTool cannot be used: no tool here may call another");
    return executeTool;
  }
}

const carried = Symbol("hookline.pi.carried");

interface WithSession {
  readonly withSession?: ((ctx: never) => Promise<void>) | undefined;
}

type Cancelled = Promise<{ readonly cancelled: boolean }>;

/**
 * pi's `ExtensionCommandContext`, with functions that only commands may call: a handler that called them would wait for
 * itself. If the host cannot control the session, they do nothing and report `cancelled: true`.
 */
export class PiCommandContext extends PiContext {
  get getSystemPromptOptions(): () => object {
    return () => this[agentFor]("getSystemPromptOptions")?.systemPromptOptions?.() ?? noOptions(this.cwd);
  }

  get waitForIdle(): () => Promise<void> {
    return async () => controlOf(this[ownerOf], "waitForIdle")?.waitForIdle();
  }

  get newSession(): (options?: Parameters<HostControl["newSession"]>[0]) => Cancelled {
    return async (options = {}) =>
      (await controlOf(this[ownerOf], "newSession")?.newSession({ ...options, ...this[carried](options) })) ?? {
        cancelled: true,
      };
  }

  get fork(): (entryId: string, options?: Parameters<HostControl["branch"]>[1]) => Cancelled {
    return async (entryId, options = {}) =>
      (await controlOf(this[ownerOf], "fork")?.branch(entryId, { ...options, ...this[carried](options) })) ?? {
        cancelled: true,
      };
  }

  get navigateTree(): (targetId: string, options?: Parameters<HostControl["navigateTree"]>[1]) => Cancelled {
    return async (targetId, options) =>
      (await controlOf(this[ownerOf], "navigateTree")?.navigateTree(targetId, options)) ?? { cancelled: true };
  }

  get switchSession(): (path: string, options?: WithSession) => Cancelled {
    return async (path, options = {}) =>
      (await controlOf(this[ownerOf], "switchSession")?.switchSession(path, this[carried](options))) ?? {
        cancelled: true,
      };
  }

  get reload(): () => Promise<void> {
    return async () => controlOf(this[ownerOf], "reload")?.reload();
  }

  /**
   * Makes the function that the host calls with the new session. The command's own context then belongs to the new
   * session. The module's `withSession` gets another context, which can also send messages.
   */
  private [carried]({ withSession }: WithSession): WithSession {
    const owner = this[ownerOf];
    return {
      withSession: async (session: ReplacedSession) => {
        this[moveTo](ownerIn(owner, session));
        if (withSession !== undefined)
          await inSession(listed(new ReplacedContext(ownerIn(owner, session))), withSession);
      },
    };
  }
}

function controlOf({ instance, around }: Owner, member: string): HostControl | undefined {
  return alive(instance, `ctx.${member}`) ? around.services.control : undefined;
}

/** The context that `withSession` gets: it belongs to the new session and can send messages into it. */
class ReplacedContext extends PiCommandContext {
  get sendMessage(): (...args: Parameters<ReturnType<typeof createActions>["sendMessage"]>) => Promise<void> {
    return async (...args) => createActions(this[ownerOf]).sendMessage(...args);
  }

  get sendUserMessage(): (...args: Parameters<ReturnType<typeof createActions>["sendUserMessage"]>) => Promise<void> {
    return async (...args) => createActions(this[ownerOf]).sendUserMessage(...args);
  }
}

async function inSession(context: ReplacedContext, run: (ctx: never) => Promise<void>): Promise<void> {
  await run(context as never);
}

/** The new session, which a host passes to `withSession` after a command has replaced the session. */
export interface ReplacedSession {
  readonly services: HostServices;
  readonly scene: Scene;
  /** Aborts when the new session ends. The context then no longer works. */
  readonly signal?: AbortSignal;
}

/** Makes the `Owner` with which a module acts in the session that replaced its own, until that session ends. */
export function ownerIn({ around, instance, name }: Owner, { services, scene, signal }: ReplacedSession): Owner {
  const next = new Instance(instance.lane, instance.source, {
    add: () => {},
    remove: () => {},
    report: (diagnostic) => instance.report(diagnostic),
  });
  signal?.addEventListener("abort", () => next.dispose(), { once: true });
  return { around: { ...around, services, scene }, instance: next, name, bound: true };
}
