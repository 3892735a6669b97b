import type {
  CustomMessage,
  CustomMessageInput,
  ExecOptions,
  ExecResult,
  HostServices,
  Runtime,
  UserMessage,
} from "@hookline/runtime";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { SessionManager } from "../session/manager.ts";
import type { Agent } from "./agent.ts";
import { llmOf } from "./llm.ts";
import { reloadHooks, switchSession } from "./switch.ts";

/** What the services are made from; the agent comes after the hooks that use it, so it is looked up at each call. */
export interface ServiceParts {
  readonly mode: "print" | "json";
  readonly late: { agent?: Agent };
  readonly store: SessionManager;
  readonly registry: ModelRegistry;
  readonly runtime: Runtime;
  readonly cwd: string;
  /** Flags of the command line that are not the agent's own. */
  readonly flags: ReadonlyMap<string, boolean | string>;
}

/** What this agent lends to its hooks. */
export function agentServices(parts: ServiceParts): HostServices {
  const { late, registry } = parts;
  const store = (): SessionManager => late.agent?.core.store ?? parts.store;
  return {
    mode: parts.mode,
    // A view that follows the agent from session to session.
    sessionManager: new Proxy(
      {},
      {
        get: (_, name) => {
          const current = store() as unknown as Record<PropertyKey, unknown>;
          const value = current[name];
          return typeof value === "function" ? value.bind(current) : value;
        },
        has: (_, name) => name in store(),
      },
    ),
    modelRegistry: registry,
    llm: llmOf(late, registry),
    flag: (name) => parts.flags.get(name),
    exec: (command, args, options) => exec(parts, command, args, options),
    conversation: {
      sendMessage: (message, options) => sendMessage(late.agent, store(), message, options),
      sendUserMessage: (content, options) => {
        const agent = late.agent;
        if (agent === undefined) return;
        const message: UserMessage = { role: "user", content, timestamp: Date.now() };
        if (agent.isIdle) {
          const text =
            typeof content === "string"
              ? content
              : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
          const images = typeof content === "string" ? undefined : content.filter((block) => block.type === "image");
          void agent.prompt(text, { images, source: "extension" });
        } else if (options.deliverAs === undefined) {
          throw new Error(
            "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.",
          );
        } else if (options.deliverAs === "steer") agent.core.queues.steer(message);
        else agent.core.queues.followUp(message);
      },
      appendEntry: (customType, data) => void store().appendCustomEntry(customType, data),
      setSessionName: (name) => void store().appendSessionInfo(name.trim()),
      getSessionName: () => store().getSessionName(),
      setLabel: (entryId, label) => void store().appendLabelChange(entryId, label),
    },
    models: {
      current: () => late.agent && { ...late.agent.core.model },
      set: async (model) => {
        const found = registry.find(model.provider, model.id);
        if (found === undefined || late.agent === undefined || !registry.hasConfiguredAuth(found)) return false;
        const previous: Model = late.agent.core.model;
        late.agent.useModel(found, registry.provider);
        if (previous.id !== found.id || previous.provider !== found.provider) {
          store().appendModelChange(found.provider, found.id);
          await late.agent.core.hooks.emit("model.select", {
            model: { ...found },
            previousModel: { ...previous },
            source: "set",
          });
        }
        return true;
      },
      thinkingLevel: () => late.agent?.core.thinking ?? "off",
      setThinkingLevel: (level) => {
        const { agent } = late;
        if (agent === undefined || level === agent.core.thinking) return;
        const previousLevel = agent.core.thinking;
        agent.useThinking(level as typeof previousLevel);
        store().appendThinkingLevelChange(level);
        void agent.core.hooks.emit("thinking.select", { level, previousLevel });
      },
      registerProvider: (name, config) => registry.registerProvider(name, config as never),
      unregisterProvider: (name) => registry.unregisterProvider(name),
    },
    tools: {
      active: () => late.agent?.activeTools() ?? [],
      setActive: (names) => late.agent?.setActiveTools(names),
      all: () =>
        [...(late.agent?.tools().values() ?? [])].map(({ tool, type }) => ({
          name: tool.name,
          description: tool.description,
          parameters: tool.parameters,
          type,
        })),
      commands: () =>
        [...(late.agent?.core.hooks.contributions.all<{ description?: string }>("command") ?? [])].map(
          ([name, { value }]) => ({
            name,
            source: "extension",
            ...(value.description !== undefined && { description: value.description }),
          }),
        ),
    },
    control: {
      waitForIdle: async () => late.agent?.waitForIdle(),
      branch: () => Promise.reject(new Error("Branching is not available in this version.")),
      navigateTree: () => Promise.reject(new Error("Moving in the session's tree is not available in this version.")),
      reload: async () => {
        const { agent } = late;
        if (agent !== undefined) await reloadHooks(agent);
      },
      newSession: async ({ parentSession, setup }) => {
        const { agent } = late;
        if (agent === undefined) return { cancelled: true };
        const open = (): SessionManager =>
          agent.openSession({ kind: "new", ...(parentSession !== undefined && { parentSession }) });
        return switchSession(agent, "new", open, setup as ((store: SessionManager) => Promise<void>) | undefined);
      },
      switchSession: async (path) => {
        const { agent } = late;
        if (agent === undefined) return { cancelled: true };
        return switchSession(agent, "resume", () => agent.openSession({ kind: "file", path }));
      },
    },
    agent: {
      isIdle: () => late.agent?.isIdle ?? true,
      abort: () => late.agent?.abort(),
      signal: () => late.agent?.signal,
      hasPendingMessages: () => late.agent?.core.queues.pending ?? false,
      shutdown: () => late.agent?.abort(),
      contextUsage: () => undefined,
      compact: (options) => options.onError?.(new Error("Compaction is not available here.")),
      systemPrompt: () => late.agent?.systemPrompt ?? "",
    },
  };
}

function sendMessage(
  agent: Agent | undefined,
  store: SessionManager,
  input: CustomMessageInput,
  options: {
    readonly triggerTurn?: boolean | undefined;
    readonly deliverAs?: "steer" | "followUp" | "nextTurn" | undefined;
  },
): void {
  const { customType, content, display, details } = input;
  const message: CustomMessage = {
    role: "custom",
    customType,
    content,
    display,
    ...(details !== undefined && { details }),
    timestamp: Date.now(),
  };
  const { queues } = agent?.core ?? {};
  if (options.deliverAs === "nextTurn") queues?.nextTurn(message);
  else if (agent !== undefined && !agent.isIdle)
    (options.deliverAs === "followUp" ? queues?.followUp : queues?.steer)?.call(queues, message);
  else store.appendCustomMessageEntry(customType, content, display, details);
}

async function exec(
  parts: ServiceParts,
  command: string,
  args: readonly string[],
  options: ExecOptions = {},
): Promise<ExecResult> {
  const report = await parts.runtime.processes.run({
    command: { file: command, args },
    cwd: options.cwd ?? parts.cwd,
    tier: "user",
    env: {},
    timeoutMs: options.timeout ?? 2 ** 31 - 1,
    ...(options.signal !== undefined && { signal: options.signal }),
    label: command,
  });
  const killed = report.status === "timed-out" || report.status === "aborted";
  const stderr = report.startError === undefined ? report.stderr : report.startError.message;
  return { stdout: report.stdout, stderr, code: report.status === "not-started" ? 1 : (report.exitCode ?? 0), killed };
}
