import type { Scene } from "@hookline/runtime";
import type { Asker, HookNotice } from "../hook/ask.ts";
import type { Halts } from "../hook/halts.ts";
import type { Model, Provider, ThinkingLevel, ToolSpec } from "../provider/provider.ts";
import type { SessionManager } from "../session/session.ts";
import type { CompactionResult, CompactionTrigger } from "./outcome.ts";
import type { CompactionSettings } from "./settings.ts";

/** Events about a compaction for the agent's listeners. */
export type CompactionEvent =
  | { readonly type: "compaction_start"; readonly reason: CompactionTrigger }
  | {
      readonly type: "compaction_end";
      readonly reason: CompactionTrigger;
      readonly result: CompactionResult | undefined;
      readonly aborted: boolean;
      readonly willRetry: boolean;
      readonly errorMessage?: string;
    };

/** The fields of a conversation that are needed to ask its model a question. */
export interface Questioned extends Asker {
  readonly provider: Provider;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly settings: { readonly retry: { readonly maxRetries: number; readonly baseDelayMs: number } };
  apiKey(): Promise<string | undefined>;
}

/** The conversation to make smaller, with the model that summarises it. An agent turn passes its `Core` as one. */
export interface Conversation extends Questioned {
  /** Parts of the session's scene. The model sees them when it chooses messages to remove. */
  readonly scene: Pick<Scene, "summary" | "goals" | "todos">;
  readonly store: SessionManager;
  readonly settings: Questioned["settings"] & { readonly compaction: CompactionSettings };
  /** The system prompt as it was built last. */
  readonly systemPrompt: string;
  tools(): ReadonlyMap<string, { readonly tool: ToolSpec }>;
  activeTools(): readonly string[];
  readonly tell: (event: HookNotice | CompactionEvent) => void;
  readonly halts: Pick<Halts, "take">;
  /** Queues the context that hooks add, until the next request. */
  readonly queues: { context(event: string, texts: readonly string[] | undefined): void };
}
