import type { Message } from "@hookline/runtime";
import type { Content } from "@hookline/runtime/internal";
import type { Model, ThinkingLevel } from "../../provider/provider.ts";
import type { ModelRegistry } from "../../provider/registry.ts";
import type { SessionManager } from "../../session/manager.ts";
import type { Tool } from "../../tool/tool.ts";

/** A call that a side session's model makes. */
export interface SideCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a tool of a side session gave. */
export interface SideResult {
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError: boolean;
}

/** The guards of the session that an extension runs in. They judge the calls of its side sessions too. */
export interface SideGuards {
  /** The arguments that the call may run with, or why it may not run. */
  before(
    call: SideCall,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly args: unknown } | { readonly refused: string }>;
  /** The result as the hooks leave it. */
  after(call: SideCall, result: SideResult, signal: AbortSignal | undefined): Promise<SideResult>;
}

/** A skill as pi's loaders give it. */
export interface LoadedSkill {
  readonly name: string;
  readonly description: string;
  readonly filePath: string;
  readonly baseDir: string;
  readonly disableModelInvocation: boolean;
}

/** Where a side session's texts come from: pi's `ResourceLoader`, of which extensions bring their own. */
export interface SideTexts {
  getSystemPrompt?(): string | undefined;
  getAppendSystemPrompt?(): readonly string[];
  getAgentsFiles?(): { readonly agentsFiles: readonly { readonly path: string; readonly content: string }[] };
  getSkills?(): { readonly skills: readonly LoadedSkill[] };
  getPrompts?(): { readonly prompts: readonly { readonly name: string; readonly content: string }[] };
  getExtensions?(): unknown;
}

/** How much a model thinks, in pi's words. */
export type Level = ThinkingLevel;

/** A tool of an extension, as it registers one; it is given a context last. */
export type SideTool = Tool<never>;

/** What one side session is made of. */
export interface SideParts {
  readonly cwd: string;
  readonly store: SessionManager;
  readonly registry: ModelRegistry;
  readonly model: Model | undefined;
  readonly level: Level;
  readonly texts: SideTexts;
  readonly settings: unknown;
  /** Every tool that it may use. */
  readonly tools: readonly SideTool[];
  readonly active: readonly string[];
  readonly guards?: SideGuards | undefined;
}

/** A message of a conversation, whoever's. */
export type SideMessage = Message;
