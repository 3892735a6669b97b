import { messageOf } from "@hookline/ground";
import type { HostServices, HostUi, LlmTransport } from "@hookline/runtime";
import type { HostModels } from "@hookline/runtime/engine";
import type { HookRuntime } from "@hookline/runtime/session";
import { execIn } from "../hook/exec.ts";
import { registeredServer } from "../mcp/registered.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import { isThinkingLevel } from "../provider/thinking.ts";
import type { SessionManager } from "../session/session.ts";
import { optionsOf } from "../turn/begin.ts";
import type { Agent } from "./agent.ts";
import { hostControl } from "./control.ts";
import { hostConversation } from "./conversation.ts";
import { listCommands, listTools } from "./listing.ts";
import { compactNow } from "./manual.ts";
import { selectModel, selectThinking } from "./select.ts";
import { contextUsage, usageOf } from "./usage.ts";

/** The parts from which the services for hooks are made. `late` holds the agent, which is created after its hooks. */
export interface ServiceParts {
  readonly mode: NonNullable<HostServices["mode"]>;
  readonly ui?: HostUi | undefined;
  readonly late: { agent?: Agent };
  readonly store: SessionManager;
  readonly registry: ModelRegistry;
  readonly runtime: HookRuntime;
  readonly llm: LlmTransport;
  readonly cwd: string;
  /** Loads the packages that modules of hooks import. */
  readonly modules: NonNullable<HostServices["modules"]>;
  /** Environment variables that hooks have set for the agent's commands. */
  readonly environment: Record<string, string>;
  /** Command-line flags that extensions define. */
  readonly flags: ReadonlyMap<string, boolean | string>;
}

/** The services that this agent offers its hooks. */
export function agentServices(parts: ServiceParts): HostServices {
  const { late, registry, ui } = parts;
  const store = (): SessionManager => late.agent?.core.store ?? parts.store;
  return {
    mode: parts.mode,
    ...(ui !== undefined && { ui }),
    modules: parts.modules,
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
      define: registeredServer,
    },
    // A built-in search tool leaves out files that rules deny. An extension's tool that replaces it may show them.
    leavesOut: (tool) => late.agent?.tools().get(tool)?.type !== "plugin",
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

/** The models that hooks may choose and add. */
function hostModels(late: { readonly agent?: Agent }, registry: ModelRegistry): HostModels {
  return {
    current: () => late.agent && { ...late.agent.core.model },
    async set(model) {
      const found = registry.find(model.provider, model.id);
      if (found === undefined || late.agent === undefined || !registry.hasConfiguredAuth(found)) return false;
      const kept = await selectModel(late.agent, found, "set");
      if (kept !== undefined) late.agent.core.tell({ type: "notice", level: "warning", text: kept });
      return kept === undefined;
    },
    thinkingLevel: () => late.agent?.core.thinking ?? "off",
    setThinkingLevel(level) {
      const { agent } = late;
      if (agent === undefined || !isThinkingLevel(level)) return;
      selectThinking(agent, level).catch((thrown: unknown) =>
        agent.core.tell({ type: "notice", level: "error", text: messageOf(thrown) }),
      );
    },
    registerProvider: (name, config) => registry.registerProvider(name, config as never),
    unregisterProvider: (name) => registry.unregisterProvider(name),
  };
}

type Member = (store: SessionManager) => unknown;

/** Members that oh-my-pi's session manager has and pi's lacks; all of them only read. */
const MORE: Readonly<Record<string, Member>> = {
  getRecordedCwd: (store) => store.getHeader().cwd,
  /** Returns the folder for a session's artifacts, next to its file; it may not exist. `null` without a file. */
  getArtifactsDir: (store) => store.getSessionFile()?.replace(/\.jsonl$/, "") ?? null,
  getUsageStatistics(store) {
    const { tokens, cost } = usageOf(store.getEntries());
    const { total, ...counts } = tokens;
    // These counts of oh-my-pi are for provider features that hookline does not have.
    const none = { orchestrationInput: 0, orchestrationOutput: 0, orchestrationCacheRead: 0, premiumRequests: 0 };
    return { ...counts, totalTokens: total, ...none, cost };
  },
};

/** Returns the session manager for hooks. It always refers to the agent's current session. */
function lentSession(store: () => SessionManager): object {
  return new Proxy(
    {},
    {
      get(_, name) {
        const more = typeof name === "string" && Object.hasOwn(MORE, name) ? MORE[name] : undefined;
        if (more !== undefined) return () => more(store());
        const current = store() as unknown as Record<PropertyKey, unknown>;
        const value = current[name];
        return typeof value === "function" ? value.bind(current) : value;
      },
      has: (_, name) => name in store() || Object.hasOwn(MORE, name),
      // The prototype lets hooks list the members and use `instanceof`.
      getPrototypeOf: () => Object.getPrototypeOf(store()) as object,
    },
  );
}
