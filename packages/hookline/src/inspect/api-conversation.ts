import type { MomentItem } from "./api.ts";

/** One part of the request that the model received, or of what a hook removed from it. */
export interface ConversationPart {
  readonly role: "system" | "user" | "assistant" | "tool" | "tools" | "other";
  /** The kind of the part: `text`, `thinking`, `call`, `result`, `image`, `offered` (a tool) and so on. */
  readonly kind: string;
  readonly text: string;
  /** The tool's name, if the part is about a call. */
  readonly tool?: string;
  /** The hooks that added, removed or rewrote the part. */
  readonly by?: readonly string[];
  readonly change?: "added" | "removed" | "rewritten";
  /** The part's text before a hook rewrote it. */
  readonly before?: string;
  /** The moment at which a hook added, removed or rewrote the part. */
  readonly at?: number;
  /** The length of the whole text in characters; only its beginning is here. */
  readonly of?: number;
}

/** The answer to `conversation/N`: the request that moment N belongs to, as the model received it. */
export interface Conversation {
  readonly v: 1;
  /** The moment at which the shown request was made; absent if the source has no request. */
  readonly request?: MomentItem;
  /** The requests of the source, for moving between them; at most 500 around the shown one. */
  readonly requests: readonly MomentItem[];
  readonly model?: string;
  readonly parts: readonly ConversationPart[];
  /** How many parts were left out at the beginning because the answer would be too large. */
  readonly leftOut: number;
  /** Sentences about what the source lacks. */
  readonly missing: readonly string[];
}
