import type { MomentItem } from "./api.ts";

/** One part of what the model was sent, or of what a hook kept from it. */
export interface ConversationPart {
  readonly role: "system" | "user" | "assistant" | "tool" | "tools" | "other";
  /** `text`, `thinking`, `call`, `result`, `image`, `offered` and so on. */
  readonly kind: string;
  readonly text: string;
  /** The tool's name where the part is about a call. */
  readonly tool?: string;
  /** The hook that added, removed or rewrote it; several where several did. */
  readonly by?: readonly string[];
  readonly change?: "added" | "removed" | "rewritten";
  /** The earlier text, if it was rewritten. */
  readonly before?: string;
  /** The moment at which that happened. */
  readonly at?: number;
  /** Only the beginning of the text is here; this many characters it has. */
  readonly of?: number;
}

/** `conversation/N`: what the model was sent with the request that the moment N belongs to. */
export interface Conversation {
  readonly v: 1;
  /** The moment of the request: N, or the next request behind it, else the last one before. Absent where there is none. */
  readonly request?: MomentItem;
  /** All requests of the source, for going from one to the next; at most 500 around this one. */
  readonly requests: readonly MomentItem[];
  readonly model?: string;
  readonly parts: readonly ConversationPart[];
  /** Parts that were left out because the answer would be too large, from the beginning. */
  readonly leftOut: number;
  /** Names the parts that the source lacks. */
  readonly missing: readonly string[];
}
