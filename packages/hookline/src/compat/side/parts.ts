import type { Message } from "@hookline/runtime";
import type { Content } from "@hookline/runtime/internal";
import type { Model, ThinkingLevel } from "../../provider/provider.ts";
import type { ModelRegistry } from "../../provider/registry.ts";
import type { SessionManager } from "../../session/session.ts";
import type { Tool } from "../../tool/tool.ts";

/** A call from a side session's model. */
export interface SideCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The result of a side session's tool. */
export interface SideResult {
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError: boolean;
}

/** The guards of the extension's session. They also judge the calls of its side sessions. */
export interface SideGuards {
  /** The arguments that the call may run with, or why it may not run. */
  before(
    call: SideCall,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly args: unknown } | { readonly refused: string }>;
  /** The result as the hooks leave it. */
  after(call: SideCall, result: SideResult, signal: AbortSignal | undefined): Promise<SideResult>;
}

/** A skill in the form that pi's loaders return. */
export interface LoadedSkill {
  readonly name: string;
  readonly description: string;
  readonly filePath: string;
  readonly baseDir: string;
  readonly disableModelInvocation: boolean;
}

/** The source of a side session's texts: pi's `ResourceLoader`, which extensions may implement. */
export interface SideTexts {
  getSystemPrompt?(): string | undefined;
  getAppendSystemPrompt?(): readonly string[];
  getAgentsFiles?(): { readonly agentsFiles: readonly { readonly path: string; readonly content: string }[] };
  getSkills?(): { readonly skills: readonly LoadedSkill[] };
  getPrompts?(): { readonly prompts: readonly { readonly name: string; readonly content: string }[] };
  getExtensions?(): unknown;
}

/** A thinking level, with pi's names. */
export type Level = ThinkingLevel;

/** A tool as an extension registers it; its last argument is a context. */
export type SideTool = Tool<never>;

/** The parts from which a side session is built. */
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

/** Any message of a conversation. */
export type SideMessage = Message;
