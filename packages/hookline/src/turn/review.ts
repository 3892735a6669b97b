import { textOf } from "@hookline/runtime";
import type { AssistantMessage } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import type { Answered } from "../hook/author.ts";
import type { Run } from "./core.ts";
import { mayRetry } from "./feedback.ts";

/** A reply after the hooks; a discarded one does not count. */
export interface Reviewed {
  readonly reply: AssistantMessage;
  readonly discarded: boolean;
  /** The text that replaces a discarded reply for the model. */
  readonly feedback: string | undefined;
  /** The hooks that were asked and answered. */
  readonly hooks: readonly Answered[];
}

/** Lets hooks judge a complete reply before its calls run and before it counts. */
export async function review(run: Run, reply: AssistantMessage): Promise<Reviewed> {
  const { core, signal } = run;
  if (reply.stopReason === "error" || reply.stopReason === "aborted") return kept(reply);
  const text = textOf(reply.content);
  const toolCalls = reply.content.filter((block) => block.type === "toolCall");
  const { answer, said, hooks } = await ask(
    core,
    "model.response",
    { text, model: core.model.id, toolCalls, finishReason: reply.stopReason },
    signal,
  );
  // A text that one hook has replaced stays replaced, also where another one discards the reply.
  const left = answer.text === undefined || answer.text === text ? reply : withText(reply, answer.text);
  if (answer.stop) {
    if (answer.feedback !== undefined && !mayRetry(run, said)) return kept(left);
    const { content, ...rest } = left;
    return {
      reply: { ...rest, content: content.filter((block) => block.type !== "toolCall"), stopReason: "aborted" },
      discarded: true,
      feedback: answer.feedback,
      hooks,
    };
  }
  return kept(left);
}

function kept(reply: AssistantMessage): Reviewed {
  return { reply, discarded: false, feedback: undefined, hooks: [] };
}

/** The reply with one text in place of all its texts; everything else stays. */
export function withText(reply: AssistantMessage, text: string): AssistantMessage {
  const rest = reply.content.filter((block) => block.type !== "text");
  const at = reply.content.findIndex((block) => block.type === "text");
  const content: AssistantMessage["content"][number][] = [...rest];
  const before = at < 0 ? 0 : reply.content.slice(0, at).filter((block) => block.type !== "text").length;
  content.splice(before, 0, { type: "text", text });
  return { ...reply, content };
}
