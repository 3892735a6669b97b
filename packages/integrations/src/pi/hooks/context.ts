import type { HostServices } from "@hookline/runtime";
import type { Scene } from "@hookline/runtime/dialect";
import type { HostControl } from "@hookline/runtime/engine";
import { Instance } from "@hookline/runtime/engine";
import { createActions } from "../../in-process/actions.ts";
import { agentFor, aliveFor, InProcessContext, listed, moveTo, ownerOf } from "../../in-process/context.ts";
import type { Owner } from "../../in-process/owner.ts";
import { alive } from "../../in-process/ui.ts";
import { noOptions } from "./start.ts";

/** pi's `ExtensionContext`. */
export class PiContext extends InProcessContext {
  /** Models that the session is limited to; none here, which means that all may be used. */
  get scopedModels(): readonly unknown[] {
    return [];
  }

  get thinkingLevel(): string | undefined {
    return this[aliveFor]("thinkingLevel") ? this[ownerOf].around.services.models?.thinkingLevel() : undefined;
  }

  /** True in hooks of the project itself, which run only when they were approved. */
  get isProjectTrusted(): () => boolean {
    return () => this[ownerOf].instance.source.tier === "project";
  }
}

const agentOf = Symbol("hookline.pi.agent");

/** The functions that an agent gives a tool that may call other tools. */
interface CallsTools {
  readonly tools?: readonly unknown[];
  executeTool?(name: string, args: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

/** pi's `ExtensionToolContext`: what a tool gets that runs. Since pi 0.99. */
export class PiToolContext extends PiContext {
  readonly [agentOf]: CallsTools;

  constructor(owner: Owner, agent: object) {
    super(owner);
    this[agentOf] = agent;
  }

  /** The tools that may be called. */
  get tools(): readonly unknown[] {
    return this[agentOf].tools ?? [];
  }

  /** Runs another tool, as the model would: all guards are asked about it. */
  get executeTool(): NonNullable<CallsTools["executeTool"]> {
    const { executeTool } = this[agentOf];
    if (executeTool === undefined) throw new Error("ctx.executeTool is not here: this agent lets no tool call another");
    return executeTool;
  }
}

const carried = Symbol("hookline.pi.carried");

interface WithSession {
  readonly withSession?: ((ctx: never) => Promise<void>) | undefined;
}

type Cancelled = Promise<{ readonly cancelled: boolean }>;

/**
 * pi's `ExtensionCommandContext`: what only commands may do, because a handler would wait for itself. If the host
 * provides no control, nothing happens and the answer is `cancelled`.
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
   * Called by the host with the new session. The requesting command continues there with its own context; the module's
   * `withSession` gets a context that can also send.
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

/** The context of `withSession`: the new session's, and the two ways to send into it. */
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

/**
 * The new session, which a host passes to `withSession` after a command has replaced the session.
 * The dialect makes the context for the module's function from it.
 */
export interface ReplacedSession {
  readonly services: HostServices;
  readonly scene: Scene;
  /** Ends the context's life when the new session ends. */
  readonly signal?: AbortSignal;
}

/** A module as it lives on in the session that has replaced its own, until its function returns. */
export function ownerIn({ around, instance, name }: Owner, { services, scene, signal }: ReplacedSession): Owner {
  const next = new Instance(instance.lane, instance.source, {
    add: () => {},
    remove: () => {},
    report: (diagnostic) => instance.report(diagnostic),
  });
  signal?.addEventListener("abort", () => next.dispose(), { once: true });
  return { around: { ...around, services, scene }, instance: next, name, bound: true };
}
