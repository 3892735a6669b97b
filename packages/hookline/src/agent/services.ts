import type { HostServices, HostUi, LlmTransport, Runtime } from "@hookline/runtime";
import type { ExecOptions, ExecResult } from "@hookline/runtime/internal";
import { messageOf } from "@hookline/runtime/internal";
import { type Lent, lentModule } from "../compat/modules.ts";
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

/** What the services are made from; the agent comes after the hooks that use it, so it is looked up at each call. */
export interface ServiceParts {
  readonly mode: NonNullable<HostServices["mode"]>;
  readonly ui?: HostUi | undefined;
  readonly late: { agent?: Agent };
  readonly store: SessionManager;
  readonly registry: ModelRegistry;
  readonly runtime: Runtime;
  readonly llm: LlmTransport;
  readonly cwd: string;
  /** What hooks have set for the commands that the agent runs. */
  readonly environment: Record<string, string>;
  /** Flags of the command line that are not the agent's own. */
  readonly flags: ReadonlyMap<string, boolean | string>;
}

/** What this agent lends to its hooks. */
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
    flag: (name) => parts.flags.get(name),
    exec: (command, args, options) => exec(parts, command, args, options),
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
