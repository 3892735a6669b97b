/**
 * The agent's messages, in the field's common shape (pi's), which every lens and hook of pi and omp sees.
 * Source: spec/pi.md 6.
 */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly textSignature?: string;
}

/** A picture in a message or a result. */
export interface ImageBlock {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** What a model thought before it spoke. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly thinkingSignature?: string;
  readonly redacted?: boolean;
}

/** A model's wish to have a tool run. */
export interface ToolCallBlock {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What a person or a tool can put into a message. */
export type Content = TextBlock | ImageBlock;

/** Tokens of a request by kind, and what they cost in dollars. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly total: number;
  };
}

/** What a person said. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly Content[];
  /** Epoch ms, as in every message. */
  readonly timestamp: number;
}

/** A model's reply, with how it ended. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextBlock | ThinkingBlock | ToolCallBlock)[];
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: "stop" | "length" | "toolUse" | "error" | "aborted";
  readonly errorMessage?: string;
  readonly timestamp: number;
}

/** What came of one tool call, as the model reads it. */
export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError: boolean;
  readonly timestamp: number;
}

/** What a hook added; the model reads it as said by the person, and `display` shows it to them. */
export interface CustomMessage {
  readonly role: "custom";
  readonly customType: string;
  readonly content: string | readonly Content[];
  readonly display: boolean;
  readonly details?: unknown;
  readonly timestamp: number;
}

/** A shell command that the person ran. */
export interface BashExecutionMessage {
  readonly role: "bashExecution";
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

/** What stands for a branch of the session that was left. */
export interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

/** What stands for the messages that a compaction took out. */
export interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** Everything that a conversation holds. */
export type Message =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | CustomMessage
  | BashExecutionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

/** The text of a content list or string; blocks that are not text are left out, blocks are joined by a line break. */
export function textOf(content: string | readonly { readonly type: string; readonly text?: unknown }[]): string {
  if (typeof content === "string") return content;
  const parts: string[] = [];
  for (const block of content) if (block.type === "text" && typeof block.text === "string") parts.push(block.text);
  return parts.join("\n");
}

/** A session entry as far as the engine looks at it; its format is the host's. */
export interface Entry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  readonly [fact: string]: unknown;
}
