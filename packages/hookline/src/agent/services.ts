import type { HostServices, HostUi, LlmTransport, Runtime } from "@hookline/runtime";
import { messageOf } from "@hookline/runtime/internal";
import { type Lent, lentModule } from "../compat/modules.ts";
import { execIn } from "../hook/exec.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import { hooklineHome } from "../session/directory.ts";
import type { SessionManager } from "../session/manager.ts";
import { optionsOf } from "../turn/begin.ts";
import type { Agent } from "./agent.ts";
import { hostControl } from "./control.ts";
import { hostConversation } from "./conversation.ts";
import { hostModels } from "./host-models.ts";
import { lentSession } from "./lent-session.ts";
import { listCommands, listTools } from "./listing.ts";
import { compactNow } from "./manual.ts";
import { sideGuards } from "./side-guards.ts";
import { contextUsage } from "./usage.ts";

/**
 * What the services are built from. The agent is created after the hooks that use it, so it is looked up at each call.
 */
export interface ServiceParts {
  readonly mode: NonNullable<HostServices["mode"]>;
  readonly ui?: HostUi | undefined;
  readonly late: { agent?: Agent };
  readonly store: SessionManager;
  readonly registry: ModelRegistry;
  readonly runtime: Runtime;
  readonly llm: LlmTransport;
  readonly cwd: string;
  /** Variables that hooks have set for the agent's commands. */
  readonly environment: Record<string, string>;
  /** Command-line flags other than the agent's own. */
  readonly flags: ReadonlyMap<string, boolean | string>;
}

/** The services that this agent offers its hooks. */
export function agentServices(parts: ServiceParts): HostServices {
  const { late, registry, ui } = parts;
  const store = (): SessionManager => late.agent?.core.store ?? parts.store;
  const lent: Lent = {
    cwd: parts.cwd,
    hooklineHome: hooklineHome(process.env),
    processes: parts.runtime.processes,
    registry,
    current: () => late.agent && { model: late.agent.core.model, thinking: late.agent.core.thinking },
    guards: sideGuards(late),
  };
  return {
    mode: parts.mode,
    ...(ui !== undefined && { ui }),
    modules: (specifier, mentions?: (word: string) => boolean) => lentModule(lent, specifier, mentions),
    sessionManager: lentSession(store),
    modelRegistry: registry,
    llm: parts.llm,
    servers: {
      async call(call) {
        const servers = late.agent?.core.servers;
        if (servers === undefined) throw new Error("no MCP server has been started yet");
        const { callForHook } = await import("../mcp/hook-call.ts");
        return callForHook(servers, call);
      },
    },
    flag: (name) => parts.flags.get(name),
    exec: execIn(parts.runtime, parts.cwd),
    conversation: hostConversation(late, store),
    models: hostModels(late, registry),
    tools: {
      active: () => late.agent?.activeTools() ?? [],
      setActive: (names) => late.agent?.setActiveTools(names),
      setEnvironment: (variables) => void Object.assign(parts.environment, variables),
      all: () => (late.agent === undefined ? [] : listTools(late.agent)),
      commands: () => (late.agent === undefined ? [] : listCommands(late.agent)),
    },
    control: hostControl(late),
    agents: {
      messages: (id) => late.agent?.children?.messages(id),
      file: (id) => late.agent?.children?.file(id),
      ended: (id) => late.agent?.children?.ended(id),
    },
    agent: {
      isIdle: () => late.agent?.isIdle ?? true,
      abort: () => late.agent?.abort("hook"),
      signal: () => late.agent?.signal,
      hasPendingMessages: () => late.agent?.core.queues.pending ?? false,
      shutdown: () => late.agent?.requestEnd(),
      contextUsage: () => late.agent && contextUsage(late.agent.core),
      compact({ customInstructions, onComplete, onError }) {
        if (late.agent === undefined) onError?.(new Error("There is no session to compact yet"));
        else
          compactNow(late.agent, customInstructions).then(
            (result) => onComplete?.(result),
            (thrown: unknown) => onError?.(thrown instanceof Error ? thrown : new Error(messageOf(thrown))),
          );
      },
      systemPrompt: () => late.agent?.systemPrompt ?? "",
      systemPromptOptions: () => late.agent && optionsOf(late.agent),
    },
  };
}
