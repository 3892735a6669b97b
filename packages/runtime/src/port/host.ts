import type { Tier } from "@hookline/ground";
import type { Content, Message } from "../catalog/message.ts";
import type { PromptOptions } from "../catalog/prompt.ts";
import type { ModelRef, OfferedTool } from "../catalog/request.ts";
import type { HttpTransport } from "./http.ts";
import type { LlmTransport } from "./llm.ts";
import type { ProcessTransport } from "./process.ts";

/**
 * The services of an agent for the hooks that run in it. Every member is optional: a missing one has a safe default (no
 * dialogs, nothing sent, an idle agent), as in a dialect without a user interface.
 */
export interface HostServices {
  /** The mode of the agent. Dialogs can be answered in `tui` and `rpc`. Default `print`. */
  readonly mode?: "tui" | "rpc" | "json" | "print";
  readonly ui?: HostUi;
  /** Returns whether a hook's `ask` about the current call reaches a person. Default: true if `ui` can confirm. */
  asks?(): boolean;
  /** The session's store, passed unchanged to in-process hooks (`ctx.sessionManager`). */
  readonly sessionManager?: object;
  /** The registry of models, passed unchanged to in-process hooks (`ctx.modelRegistry`). */
  readonly modelRegistry?: object;
  readonly conversation?: HostConversation;
  readonly models?: HostModels;
  readonly tools?: HostTools;
  readonly agent?: HostAgent;
  /** The sub-agents of the session. */
  readonly agents?: HostSubAgents;
  readonly control?: HostControl;
  readonly llm?: LlmTransport;
  readonly servers?: HostServers;
  /** Runs a program without a shell; never rejects because of its exit code. */
  exec?(command: string, args: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Returns a module that the host provides for hooks to import; `undefined` if it provides none of this name. */
  modules?(specifier: string): Promise<Readonly<Record<string, unknown>>> | undefined;
  /** Returns the value of a command-line flag that a module registered. */
  flag?(name: string): boolean | string | undefined;
  /**
   * Returns whether this tool of the host skips the files that the session's exclusions name (`exclusionOf`). Without
   * this function, rules refuse a search of a folder that contains a file they deny.
   */
  leavesOut?(tool: string): boolean;
  /** Writes to the agent's log file. */
  log?(level: "error" | "warn" | "info" | "debug", text: string): void;
}

/** The MCP servers of the session, for hooks that call one of their tools. */
export interface HostServers {
  /**
   * Calls a tool of a server of this tier or a higher one: a user's hook never reaches a project's server. No hooks are
   * asked about the call. Rejects if there is no such server or it does not answer.
   */
  call(call: {
    readonly server: string;
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly tier: "user" | "project";
    readonly signal: AbortSignal;
  }): Promise<{ readonly text: string; readonly isError: boolean }>;
  /**
   * Converts an entry with which a module registers a server to the value of a `server` contribution. `timeout` is in
   * milliseconds. Throws if the entry cannot be used or sets what a project may not set.
   */
  define?(name: string, entry: object, from: ServerRegistrar): unknown;
}

/** The module that registers a server, and the transports that it may use. */
export interface ServerRegistrar {
  readonly path: string;
  readonly line: number;
  readonly tier: Tier;
  readonly process: ProcessTransport;
  readonly http: HttpTransport;
}

/** Options for running a program for a hook. */
export interface ExecOptions {
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The time limit in milliseconds. */
  readonly timeout?: number | undefined;
}

/** The result of a finished program. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** 128 and the signal's number for a program that a signal has ended; never 0 if the output was cut off. */
  readonly code: number;
  /** Whether the program was ended from outside: by its time limit, its signal, or because it wrote too much. */
  readonly killed: boolean;
  /** Whether the output was cut off because the program wrote too much; absent from a host that cuts nothing off. */
  readonly truncated?: boolean;
}

/** Options that close a dialog without the person. */
export interface DialogOptions {
  readonly signal?: AbortSignal | undefined;
  /** The time in milliseconds after which the dialog closes as if it had been cancelled. */
  readonly timeout?: number | undefined;
}

/** A person's answer to a guard's question about a call. */
export interface CallAnswer {
  readonly approved: boolean;
  /** The reason for a refusal, which the model is shown. */
  readonly reason?: string | undefined;
  /** Arguments in place of the call's; every guard judges them once more. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** The ways for hooks to ask a person or show them something. A missing member behaves as if there were no screen. */
export interface HostUi {
  select?(title: string, options: readonly string[], dialog?: DialogOptions): Promise<string | undefined>;
  confirm?(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  /** Asks a person about a call; they may change its arguments or say why it must not run. Default: `confirm` asks. */
  approve?(
    title: string,
    message: string,
    args: Readonly<Record<string, unknown>>,
    dialog?: DialogOptions,
  ): Promise<CallAnswer>;
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
  /** Writes an escape sequence for a hook; only harmless ones have an effect. */
  terminalSequence?(sequence: string): void;
  setEditorText?(text: string): void;
  pasteToEditor?(text: string): void;
  getEditorText?(): string;
  custom?(factory: unknown, options?: unknown): Promise<unknown>;
  readonly theme?: object;
  /** Screen parts that only a terminal has: header, footer, editor component, themes, input listeners. */
  readonly screen?: Readonly<Record<string, (...args: never[]) => unknown>>;
}

/** A message that a hook adds. */
export interface CustomMessageInput {
  readonly customType: string;
  readonly content: string | readonly Content[];
  readonly display: boolean;
  readonly details?: unknown;
  readonly attribution?: "user" | "agent";
}

/** Lets hooks add to the conversation. */
export interface HostConversation {
  sendMessage(
    message: CustomMessageInput,
    options: {
      readonly triggerTurn?: boolean | undefined;
      readonly deliverAs?: "steer" | "followUp" | "nextTurn" | undefined;
      /** The file of the module that sends the message, so that the person can be shown the sender. */
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

/** The session's model, and the available providers. */
export interface HostModels {
  current(): ModelRef | undefined;
  /** Sets the model; resolves to false if the provider has no key. */
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
  /** Sets environment variables for the shell commands that the agent runs from now on. */
  setEnvironment?(variables: Readonly<Record<string, string>>): void;
  all(): readonly (OfferedTool & { readonly sourceInfo?: unknown })[];
  commands(): readonly { readonly name: string; readonly description?: string; readonly source: string }[];
}

/** Lets hooks look at the sub-agents whose events they receive. */
export interface HostSubAgents {
  /** Returns the conversation of a running sub-agent; `undefined` for an unknown id. */
  messages(agentId: string): readonly Message[] | undefined;
  /** Returns the file that defines the sub-agent; `undefined` if there is none. */
  file(agentId: string): string | undefined;
  /** Returns a signal that is aborted when the sub-agent has ended. */
  ended(agentId: string): AbortSignal | undefined;
}

/** The state of the agent's current run. */
export interface HostAgent {
  isIdle(): boolean;
  abort(): void;
  /** Returns a signal that is aborted with the running turn; `undefined` when idle. */
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
  /** Returns a copy of the parts of the system prompt before hooks changed it. */
  systemPromptOptions?(): PromptOptions | undefined;
}

/** Functions that only slash commands may call, because they would deadlock in a hook. */
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
      /** The word for the operation in the error about an unknown `entryId`. Default `forking`. */
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

/** A tool that a plugin or module registers, in the form of pi's `ToolDefinition`. */
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
  /** Runs the command. `args` is the text after the first space, untrimmed. */
  handler(args: string): Promise<void>;
}

export type { Message };
