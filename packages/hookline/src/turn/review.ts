import { textOf } from "@hookline/runtime";
import type { AssistantMessage } from "@hookline/runtime/internal";
import { ask } from "../hook/ask.ts";
import type { Run } from "./core.ts";
import { mayRetry } from "./feedback.ts";

/** A reply as the hooks want it; a discarded one does not count. */
export interface Reviewed {
  readonly reply: AssistantMessage;
  readonly discarded: boolean;
  /** What the model is told in place of a discarded reply. */
  readonly feedback: string | undefined;
}

/** Lets hooks judge a complete reply before its calls run and before it counts. */
export async function review(run: Run, reply: AssistantMessage): Promise<Reviewed> {
  const { core, signal } = run;
  if (reply.stopReason === "error" || reply.stopReason === "aborted")
    return { reply, discarded: false, feedback: undefined };
  const text = textOf(reply.content);
  const { answer, said } = await ask(core, "model.response", { text, model: core.model.id }, signal);
  if (answer.stop) {
    if (answer.feedback !== undefined && !mayRetry(run, said)) return { reply, discarded: false, feedback: undefined };
    const { content, ...rest } = reply;
    return {
      reply: { ...rest, content: content.filter((block) => block.type !== "toolCall"), stopReason: "aborted" },
      discarded: true,
      feedback: answer.feedback,
    };
  }
  if (answer.text === undefined || answer.text === text) return { reply, discarded: false, feedback: undefined };
  return { reply: withText(reply, answer.text), discarded: false, feedback: undefined };
}

/** The reply with one text in the place of its first; everything that is no text stays. */
function withText(reply: AssistantMessage, text: string): AssistantMessage {
  const rest = reply.content.filter((block) => block.type !== "text");
  const at = reply.content.findIndex((block) => block.type === "text");
  const content: AssistantMessage["content"][number][] = [...rest];
  const before = at < 0 ? 0 : reply.content.slice(0, at).filter((block) => block.type !== "text").length;
  content.splice(before, 0, { type: "text", text });
  return { ...reply, content };
}
