import type { Content, Message } from "../catalog/message.ts";
import type { PromptOptions } from "../catalog/prompt.ts";
import type { ModelRef, OfferedTool } from "../catalog/request.ts";
import type { LlmTransport } from "./llm.ts";

/**
 * What an agent lends to the hooks that run in it. Every member is optional: what is missing has an honest default
 * (no dialogs, nothing sent, an idle agent), the same that a dialect gives without a user interface.
 */
export interface HostServices {
  /** How the agent is run. Dialogs can be answered in `tui` and `rpc`. Default `print`. */
  readonly mode?: "tui" | "rpc" | "json" | "print";
  readonly ui?: HostUi;
  /** The session's store, handed to in-process hooks as it is (`ctx.sessionManager`). */
  readonly sessionManager?: object;
  /** The registry of models, handed to in-process hooks as it is (`ctx.modelRegistry`). */
  readonly modelRegistry?: object;
  readonly conversation?: HostConversation;
  readonly models?: HostModels;
  readonly tools?: HostTools;
  readonly agent?: HostAgent;
  readonly control?: HostControl;
  readonly llm?: LlmTransport;
  /** Runs a program without a shell; never rejects for its exit code. */
  exec?(command: string, args: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Modules that foreign code may import beyond those of its dialect, by specifier. */
  modules?(specifier: string): Promise<Readonly<Record<string, unknown>>> | undefined;
  /** The value of a command-line flag that a module registered. */
  flag?(name: string): boolean | string | undefined;
  /** Writes to the agent's log file. */
  log?(level: "error" | "warn" | "info" | "debug", text: string): void;
}

/** How a program is run for a hook. */
export interface ExecOptions {
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
}

/** What a program left behind. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  readonly killed: boolean;
}

/** What closes a dialog, beside the person. */
export interface DialogOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; afterwards the dialog closes as if it was cancelled. */
  readonly timeout?: number | undefined;
}

/** The person, as far as hooks may ask and tell. A missing member behaves as without a screen. */
export interface HostUi {
  select?(title: string, options: readonly string[], dialog?: DialogOptions): Promise<string | undefined>;
  confirm?(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  input?(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
  editor?(
    title: string,
    prefill?: string,
    dialog?: DialogOptions & { readonly promptStyle?: boolean },
  ): Promise<string | undefined>;
  notify?(message: string, type: "info" | "warning" | "error"): void;
  setStatus?(key: string, text: string | undefined): void;
  setWidget?(key: string, content: unknown, options?: unknown): void;
  setTitle?(title: string): void;
  /** Writes an escape sequence that a hook asks for; only harmless ones have an effect. */
  terminalSequence?(sequence: string): void;
  setEditorText?(text: string): void;
  pasteToEditor?(text: string): void;
  getEditorText?(): string;
  custom?(factory: unknown, options?: unknown): Promise<unknown>;
  readonly theme?: object;
  /** Screen parts that only a terminal has: header, footer, editor component, themes, input listeners. */
  readonly screen?: Readonly<Record<string, (...args: never[]) => unknown>>;
}

/** A message as a hook gives it. */
export interface CustomMessageInput {
  readonly customType: string;
  readonly content: string | readonly Content[];
  readonly display: boolean;
  readonly details?: unknown;
  readonly attribution?: "user" | "agent";
}

/** What hooks may add to the conversation. */
export interface HostConversation {
  sendMessage(
    message: CustomMessageInput,
    options: {
      readonly triggerTurn?: boolean | undefined;
      readonly deliverAs?: "steer" | "followUp" | "nextTurn" | undefined;
      /** The file of the module that sends, for what the person is told. */
      readonly sender?: string | undefined;
    },
  ): void;
  sendUserMessage(
    content: string | readonly Content[],
    options: {
      readonly deliverAs?: "steer" | "followUp" | undefined;
      readonly expandPromptTemplates?: boolean | undefined;
      readonly sender?: string | undefined;
    },
  ): void;
  appendEntry(customType: string, data: unknown): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  setLabel(entryId: string, label: string | undefined): void;
}

/** The model of the session, and the providers that there are. */
export interface HostModels {
  current(): ModelRef | undefined;
  /** False when no key is there for it. */
  set(model: ModelRef): Promise<boolean>;
  thinkingLevel(): string;
  setThinkingLevel(level: string): void;
  registerProvider(name: string, config: unknown): void;
  unregisterProvider(name: string): void;
}

/** The tools and commands of the session. */
export interface HostTools {
  active(): readonly string[];
  setActive(names: readonly string[]): void;
  /** Sets variables for the commands that the agent runs from now on. */
  setEnvironment?(variables: Readonly<Record<string, string>>): void;
  all(): readonly (OfferedTool & { readonly sourceInfo?: unknown })[];
  commands(): readonly { readonly name: string; readonly description?: string; readonly source: string }[];
}

/** The run that is going on. */
export interface HostAgent {
  isIdle(): boolean;
  abort(): void;
  /** Aborted with the running turn; absent when idle. */
  signal(): AbortSignal | undefined;
  hasPendingMessages(): boolean;
  shutdown(): void;
  contextUsage():
    | { readonly tokens: number | null; readonly contextWindow: number; readonly percent: number | null }
    | undefined;
  compact(options: {
    readonly customInstructions?: string | undefined;
    readonly onComplete?: ((result: unknown) => void) | undefined;
    readonly onError?: ((error: Error) => void) | undefined;
  }): void;
  systemPrompt(): string;
  /** What the system prompt is made of before hooks; a copy that may be changed without effect. */
  systemPromptOptions?(): PromptOptions | undefined;
}

/** What only commands may do, because hooks would deadlock on it. */
export interface HostControl {
  waitForIdle(): Promise<void>;
  newSession(options: {
    readonly parentSession?: string | undefined;
    readonly setup?: ((sessionManager: never) => Promise<void>) | undefined;
    readonly withSession?: ((ctx: never) => Promise<void>) | undefined;
  }): Promise<{ readonly cancelled: boolean }>;
  branch(
    entryId: string,
    options?: {
      readonly position?: "before" | "at" | undefined;
      /** What the caller's program calls it, for the error about an entry that cannot be had. Default `forking`. */
      readonly named?: "forking" | "branching" | undefined;
      readonly withSession?: ((ctx: never) => Promise<void>) | undefined;
    },
  ): Promise<{ readonly cancelled: boolean }>;
  navigateTree(
    targetId: string,
    options?: {
      readonly summarize?: boolean | undefined;
      readonly customInstructions?: string | undefined;
      readonly replaceInstructions?: boolean | undefined;
      readonly label?: string | undefined;
    },
  ): Promise<{ readonly cancelled: boolean }>;
  switchSession(
    path: string,
    options?: { readonly withSession?: ((ctx: never) => Promise<void>) | undefined },
  ): Promise<{ readonly cancelled: boolean }>;
  reload(): Promise<void>;
}

/** A tool that a plugin or module registers, in the shape of the field (pi's `ToolDefinition`). */
export interface ToolDefinition {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  readonly executionMode?: "sequential" | "parallel";
  prepareArguments?(raw: unknown): unknown;
  execute(
    toolCallId: string,
    params: never,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: { readonly content: readonly Content[]; readonly details?: unknown }) => void) | undefined,
    context: never,
  ): Promise<{
    readonly content: readonly Content[];
    readonly details?: unknown;
    readonly isError?: boolean;
    readonly terminate?: boolean;
  }>;
  renderCall?(...args: never[]): unknown;
  renderResult?(...args: never[]): unknown;
}

/** A slash command that a module registers. */
export interface CommandDefinition {
  readonly description?: string | undefined;
  getArgumentCompletions?(prefix: string): unknown;
  /** `args` is the text after the first space, untrimmed. */
  handler(args: string): Promise<void>;
}

export type { Message };
