import type { HostHooks } from "../host/host.ts";

/** A host's report of a compaction, with Claude Code's field names. */
export interface ToldCompaction {
  readonly trigger: unknown;
  readonly instructions?: unknown;
  readonly summary?: unknown;
  /** The number of messages, if the host reports it. */
  readonly messageCount?: unknown;
}

/** The hooks' decision about a compaction that is about to happen. */
export interface CompactionVerdict {
  readonly cancelled: boolean;
  /** Instructions for the summary. */
  readonly instructions?: string;
}

/** Asks the hooks about a compaction, without its messages: no host shows them. */
export async function askCompaction(hooks: HostHooks, about: ToldCompaction): Promise<CompactionVerdict> {
  const { instructions, messageCount } = about;
  const { answer } = await hooks.emit("compact.before", {
    ...told(about),
    messageCount: typeof messageCount === "number" ? messageCount : 0,
    nonSystemCount: 0,
    systemPrompt: "",
    ...(typeof instructions === "string" && instructions !== "" && { customInstructions: instructions }),
  });
  return {
    cancelled: answer.cancel === true || answer.skip !== undefined,
    ...(answer.instructions !== undefined && { instructions: answer.instructions.join("\n\n") }),
  };
}

/** Notifies hooks of a completed compaction; returns texts for the model. */
export async function tellCompacted(hooks: HostHooks, about: ToldCompaction): Promise<readonly string[]> {
  const counts = { messageCount: 0, messagesArchived: 0, fromExtension: false };
  const { answer } = await hooks.emit("compact.after", { ...told(about), ...counts });
  return (answer.additionalContext ?? []).filter((text) => text.trim() !== "");
}

function told({ trigger, summary }: ToldCompaction): {
  readonly kind: "full";
  readonly trigger: "manual" | "threshold";
  readonly messages: readonly [];
  readonly summary: string;
} {
  return {
    kind: "full",
    trigger: trigger === "manual" ? "manual" : "threshold",
    messages: [],
    summary: typeof summary === "string" ? summary : "",
  };
}
