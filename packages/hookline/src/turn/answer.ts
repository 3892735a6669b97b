import { textOf } from "@hookline/runtime";
import { type AssistantMessage, isAnswer } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import type { Core, Run } from "./core.ts";
import { withText } from "./review.ts";
import { enter } from "./say.ts";

/** A reply after the hooks that judge what is handed over. */
interface Answered {
  readonly reply: AssistantMessage;
  /** Why a hook ended the run without a reply. */
  readonly stopped?: string;
}

/** Whether replies are shown only once hooks have judged them. */
export function holdsReplies({ settings, hooks }: Core): boolean {
  return settings.holdReplies && hooks.listens("reply.before");
}

/**
 * Lets hooks judge a reply that the run may end with, replies that were cut off included, then stores and announces it.
 * Nothing is kept of a text that they replace; viewers that have seen it are told.
 */
export async function handOver(run: Run, reply: AssistantMessage): Promise<Answered> {
  if (!isAnswer(reply)) return { reply: enter(run, reply) };
  const failed = isCutOff(reply);
  const judged: Answered = failed && textOf(reply.content) === "" ? { reply } : await judgeAnswer(run, reply);
  const entered = enter(run, judged.reply, judged.stopped === undefined || failed ? "store" : "forget");
  tellWithdrawn(run, reply, judged);
  // The failure of a reply that was cut off matters more than the text that it has no longer.
  return { ...(failed ? {} : judged), reply: entered };
}

function isCutOff({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

/** Lets hooks judge the text of a reply whose tool calls have ended the run. The stored reply stays as it is. */
export async function judgeEnded(run: Run, reply: AssistantMessage): Promise<Answered> {
  if (textOf(reply.content) === "") return { reply };
  const judged = await judgeAnswer(run, reply);
  tellWithdrawn(run, reply, judged);
  return judged;
}

/** Announces a discarded reply, which nobody judges any more: without its text where that was not shown. */
export function discard(run: Run, reply: AssistantMessage): AssistantMessage {
  return enter(run, holdsReplies(run.core) ? { ...reply, content: [] } : reply, "forget");
}

async function judgeAnswer({ core, signal }: Run, reply: AssistantMessage): Promise<Answered> {
  if (!core.hooks.has("reply.before")) return { reply };
  const text = textOf(reply.content);
  // Hooks are asked about what a person has cut off, too.
  const until = signal.aborted ? undefined : signal;
  const { answer } = await ask(core, "reply.before", { text, model: core.model.id }, until);
  if (answer.stop)
    return {
      reply: {
        ...reply,
        content: reply.content.filter(({ type }) => type === "toolCall"),
        // A reply that has failed stays one that has failed, and is tried again where that may help.
        ...(!isCutOff(reply) && { stopReason: "aborted" as const }),
      },
      stopped: answer.reason ?? "A hook stopped the reply.",
    };
  return { reply: answer.text === undefined || answer.text === text ? reply : withText(reply, answer.text) };
}

function tellWithdrawn({ core }: Run, before: AssistantMessage, { reply, stopped }: Answered): void {
  const text = textOf(reply.content);
  if (text === textOf(before.content)) return;
  if (!holdsReplies(core) || !isAnswer(before))
    core.tell({ type: "reply.withdrawn", id: stopped === undefined ? core.store.getLeafId() : null, text });
  const notice = stopped === undefined ? "A hook replaced the reply." : "A hook withdrew the reply.";
  core.tell({ type: "notice", level: "warning", text: notice });
}
