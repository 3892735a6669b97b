import type { Diagnostic, HostServices, LlmTransport, Scene } from "@hookline/runtime";
import type { HookSession } from "@hookline/runtime/session";
import type { Patience } from "../hook/patience.ts";
import type { McpServers } from "../mcp/servers.ts";
import type { Model, Provider, ThinkingLevel } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { SessionRequest } from "../session/open.ts";
import type { SessionManager } from "../session/session.ts";
import type { StoreOptions } from "../session/store.ts";
import type { Core, LoopSettings } from "../turn/core.ts";
import type { Children } from "./children.ts";
import type { PackagedTexts, ResourceRoots } from "./resources.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { ToolParts } from "./tool-set.ts";
import type { UserCommands } from "./user-command.ts";

/** The state of the main agent's loop. Unlike a sub-agent's, it has the whole hook session. */
export type MainCore = Core & { readonly hooks: HookSession };

/** The MCP servers of an agent, and the function that starts and ends them as approvals change. */
export interface AgentServers {
  readonly servers: McpServers;
  /** Starts the servers that are approved now, and ends those that no longer are. */
  follow(): void;
}

/** Decides whether newly loaded hooks may replace the current ones. */
export interface Admits {
  /** Is called before a reload changes anything. Throws if the current hooks must stay. */
  beforeReload(): Promise<void>;
  /** Is called with the loaded hooks. Throws if they must not be used; the caller then unloads them. */
  reloaded(fresh: Pick<HookSession, "report" | "missing">): void;
}

/** The parts from which an agent is built. */
export interface AgentParts extends ToolParts {
  readonly scene: Scene;
  readonly store: SessionManager;
  readonly provider: Provider;
  readonly registry: ModelRegistry;
  readonly model: Model;
  readonly settings?: Partial<LoopSettings>;
  readonly systemPrompt?: string | undefined;
  /** Appended to the agent's own part of the system prompt. */
  readonly appendSystemPrompt?: string;
  readonly thinking?: ThinkingLevel;
  readonly llm: LlmTransport;
  readonly roots: ResourceRoots;
  /** Finds the skills, prompts and themes in packages. Is called each time that the agent reads such texts. */
  packagedTexts?(): PackagedTexts;
  readonly userCommands: UserCommands;
  /** Lets the person stop waiting for slow hooks, from the start of the program on. */
  readonly patience?: Patience | undefined;
  /** The services that hooks may use. With a user interface, hooks can also ask the person. */
  readonly services: HostServices;
  /** Asks a person at another machine about a tool call. */
  readonly elsewhere?: Core["elsewhere"];
  readonly storing?: StoreOptions;
  readonly children?: Children;
  /** The hooks that the model has registered. */
  readonly sessionHooks?: SessionHooks | undefined;
  readonly servers?: AgentServers;
  /** Decides whether newly loaded hooks may replace the current ones. */
  readonly admits?: Admits;
  apiKey(): Promise<string | undefined>;
  /** Opens another session in the same folder. The messages of its errors are written for the person. */
  openSession(request: SessionRequest): SessionManager;
  onDiagnostic(diagnostic: Diagnostic): void;
}
