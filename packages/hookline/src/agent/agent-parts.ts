import type { Diagnostic, HostServices, LlmTransport, Scene } from "@hookline/runtime";
import type { Patience } from "../hook/patience.ts";
import type { Model, Provider, ThinkingLevel } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { SessionManager } from "../session/manager.ts";
import type { SessionRequest } from "../session/open.ts";
import type { StoreOptions } from "../session/store.ts";
import type { LoopSettings } from "../turn/core.ts";
import type { PackagedTexts, ResourceRoots } from "./resources.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { Admits } from "./switch.ts";
import type { ToolParts } from "./tool-set.ts";
import type { UserCommands } from "./user-command.ts";

/** What an agent is made of. */
export interface AgentParts extends ToolParts {
  readonly scene: Scene;
  readonly store: SessionManager;
  readonly provider: Provider;
  readonly registry: ModelRegistry;
  readonly model: Model;
  readonly settings?: Partial<LoopSettings>;
  readonly systemPrompt?: string | undefined;
  /** Stands behind the agent's own part of the system prompt. */
  readonly appendSystemPrompt?: string;
  readonly thinking?: ThinkingLevel;
  readonly llm: LlmTransport;
  readonly roots: ResourceRoots;
  /** Finds the texts of packages, each time that texts are read. */
  packagedTexts?(): PackagedTexts;
  readonly userCommands: UserCommands;
  /** Where the person can lose it before there is an agent. */
  readonly patience?: Patience | undefined;
  /** What is lent to the hooks, and with a user interface in it the person. */
  readonly services: HostServices;
  /** How sessions are kept. */
  readonly storing?: StoreOptions;
  /** What the model has registered. */
  readonly sessionHooks?: SessionHooks | undefined;
  /** Judges hooks that are loaded anew. */
  readonly admits?: Admits;
  apiKey(): Promise<string | undefined>;
  /** Opens another session in the same place; throws what the person is to be told. */
  openSession(request: SessionRequest): SessionManager;
  onDiagnostic(diagnostic: Diagnostic): void;
}
