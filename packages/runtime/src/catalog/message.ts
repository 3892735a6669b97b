/** A text block. Messages have pi's shape; lenses convert it for other dialects. Source: spec/pi.md 6. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly textSignature?: string;
}

/** A picture in a message or a result. */
export interface ImageBlock {
  readonly type: "image";
  /** The picture's bytes in base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** A model's thinking before its reply. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly thinkingSignature?: string;
  readonly redacted?: boolean;
}

/** A model's request to run a tool. */
export interface ToolCallBlock {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A block that a person or a tool can put into a message. */
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

/** A message from a person. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly Content[];
  /** The time in milliseconds since the epoch, as in every message. */
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

/** The result of one tool call, as the model reads it. */
export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError: boolean;
  readonly timestamp: number;
}

/** A message that a hook added. The model reads it as the person's; `display` shows it to the person. */
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

/** The summary of a branch that the session left. */
export interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

/** The summary of the messages that a compaction removed. */
export interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** Any message of a conversation. */
export type Message =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | CustomMessage
  | BashExecutionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

/**
 * Returns the text of a content list or string. Blocks that are not text are left out; the others are joined by line
 * breaks.
 */
export function textOf(content: string | readonly { readonly type: string; readonly text?: unknown }[]): string {
  if (typeof content === "string") return content;
  const parts: string[] = [];
  for (const block of content) if (block.type === "text" && typeof block.text === "string") parts.push(block.text);
  return parts.join("\n");
}

/** An entry of a session's file, with the fields that the engine reads; the rest of its format is the host's. */
export interface Entry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  readonly [fact: string]: unknown;
}
