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

/** The loop's state with all of the session's hooks. */
export type MainCore = Core & { readonly hooks: HookSession };

/** The MCP servers of an agent. */
export interface AgentServers {
  readonly servers: McpServers;
  /** Starts the servers that are approved now, and ends those that no longer are. */
  follow(): void;
}

/** Decides whether newly loaded hooks may replace the current ones. */
export interface Admits {
  /** Called before anything changes. Throws if the current hooks must stay. */
  beforeReload(): Promise<void>;
  /** Called with the loaded hooks. Throws if they must not be used; they are then unloaded. */
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
  /** Finds the texts of packages each time that texts are read. */
  packagedTexts?(): PackagedTexts;
  readonly userCommands: UserCommands;
  /** For hooks that take long before there is an agent; lets the person give up on them. */
  readonly patience?: Patience | undefined;
  /** Services for the hooks; with a user interface, this includes the person. */
  readonly services: HostServices;
  /** Asks a person elsewhere about a call. */
  readonly elsewhere?: Core["elsewhere"];
  /** How sessions are stored. */
  readonly storing?: StoreOptions;
  /** The session's sub-agents. */
  readonly children?: Children;
  /** Hooks that the model has registered. */
  readonly sessionHooks?: SessionHooks | undefined;
  /** The MCP servers of the session. */
  readonly servers?: AgentServers;
  /** Decides whether newly loaded hooks may replace the current ones. */
  readonly admits?: Admits;
  apiKey(): Promise<string | undefined>;
  /** Opens another session in the same place. Its errors are for the person to read. */
  openSession(request: SessionRequest): SessionManager;
  onDiagnostic(diagnostic: Diagnostic): void;
}
