import { textOf } from "@hookline/runtime";
import type { AssistantMessage } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import type { Answered } from "../hook/author.ts";
import type { Run } from "./core.ts";
import { mayRetry } from "./feedback.ts";

/** A reply after hooks on `model.response` have reviewed it. A discarded reply is not stored. */
export interface Reviewed {
  readonly reply: AssistantMessage;
  readonly discarded: boolean;
  /** The text that the model gets instead of a discarded reply. */
  readonly feedback: string | undefined;
  /** The hooks that have answered on `model.response`. */
  readonly hooks: readonly Answered[];
}

/** Asks hooks about a complete reply before its tool calls run. They may discard it. */
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
  // A text that one hook has replaced stays replaced even if another one discards the reply.
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

/** Puts one text in place of all texts of a reply. Its other blocks stay. */
export function withText(reply: AssistantMessage, text: string): AssistantMessage {
  const rest = reply.content.filter((block) => block.type !== "text");
  const at = reply.content.findIndex((block) => block.type === "text");
  const content: AssistantMessage["content"][number][] = [...rest];
  const before = at < 0 ? 0 : reply.content.slice(0, at).filter((block) => block.type !== "text").length;
  content.splice(before, 0, { type: "text", text });
  return { ...reply, content };
}
