import { textOf } from "@hookline/runtime";
import { type AssistantMessage, isAnswer } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import type { Core, Run } from "./core.ts";
import { withText } from "./review.ts";
import { enter } from "./say.ts";

/** A reply after hooks on `reply.before` have judged it. */
interface Answered {
  readonly reply: AssistantMessage;
  /** Why a hook has ended the run without a reply; absent if none has. */
  readonly stopped?: string;
}

/** Whether replies are shown only after hooks have judged them. */
export function holdsReplies({ settings, hooks }: Core): boolean {
  return settings.holdReplies && hooks.listens("reply.before");
}

/**
 * Asks hooks about a reply with which the run may end, even if it was cut off, then stores and announces it. A text
 * that hooks replace is not stored. Listeners that have shown it get the event `reply.withdrawn`.
 */
export async function handOver(run: Run, reply: AssistantMessage): Promise<Answered> {
  if (!isAnswer(reply)) return { reply: enter(run, reply) };
  const failed = isCutOff(reply);
  const judged: Answered = failed && textOf(reply.content) === "" ? { reply } : await judgeAnswer(run, reply);
  const entered = enter(run, judged.reply, judged.stopped === undefined || failed ? "store" : "forget");
  tellWithdrawn(run, reply, judged);
  // A cut-off reply ends the run as failed or aborted, even if hooks refused the reply too.
  return { ...(failed ? {} : judged), reply: entered };
}

function isCutOff({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

/** Asks hooks about the text of a reply whose tool calls have ended the run. The stored reply does not change. */
export async function judgeEnded(run: Run, reply: AssistantMessage): Promise<Answered> {
  if (textOf(reply.content) === "") return { reply };
  const judged = await judgeAnswer(run, reply);
  tellWithdrawn(run, reply, judged);
  return judged;
}

/** Announces a discarded reply without storing it. Omits its text if replies are held until hooks judge them. */
export function discard(run: Run, reply: AssistantMessage): AssistantMessage {
  return enter(run, holdsReplies(run.core) ? { ...reply, content: [] } : reply, "forget");
}

async function judgeAnswer({ core, signal }: Run, reply: AssistantMessage): Promise<Answered> {
  if (!core.hooks.has("reply.before")) return { reply };
  const text = textOf(reply.content);
  // A person may have cut off the reply, which aborts the signal. Hooks are asked about it all the same.
  const until = signal.aborted ? undefined : signal;
  const { answer } = await ask(core, "reply.before", { text, model: core.model.id }, until);
  if (answer.stop)
    return {
      reply: {
        ...reply,
        content: reply.content.filter(({ type }) => type === "toolCall"),
        // A failed reply keeps its `stopReason`, so that the request may be repeated.
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
