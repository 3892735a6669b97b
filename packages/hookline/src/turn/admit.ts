import { type Message, textOf } from "@hookline/runtime";
import type { Content, CustomMessage, UserMessage } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { type Answered, authorsOf } from "../hook/author.ts";
import { contextMessages, waitingTexts } from "../hook/context.ts";
import { writtenBy } from "./author.ts";
import type { Run } from "./core.ts";
import { mayRetry, userMessage } from "./feedback.ts";
import { nameByHook } from "./session-name.ts";

/**
 * Asks hooks on `prompt.before` about queued texts; returns the messages that may enter the conversation. A text that a
 * hook stops is left out, or replaced by the hook's feedback. Messages of hooks pass unchanged.
 */
export async function admit(run: Run, messages: readonly Message[]): Promise<Message[]> {
  const admitted: Message[] = [];
  for (const message of messages) {
    const { entering, context } = message.role === "user" ? await judged(run, message) : { entering: message };
    if (entering !== message) run.core.queues.entered(message);
    if (entering === undefined) continue;
    if (entering.role === "user") run.unsent.add(entering);
    admitted.push(entering, ...run.core.queues.takeBehind(message), ...(context ?? []));
  }
  return admitted;
}

/**
 * Makes a message of the hooks' feedback. Hooks see it on `input.sent` once it is stored (ruling 29). `hooks` are
 * those that were asked in the dispatch from which the feedback comes.
 */
export function feedbackMessage(run: Run, text: string, hooks: readonly Answered[]): UserMessage {
  const message = writtenBy(userMessage(text), authorsOf(text, hooks));
  run.unsent.add(message);
  return message;
}

/** Asks hooks on `input.sent` about a message that has entered the conversation, if it is a prompt or feedback. */
export async function tellSent(run: Run, message: Message): Promise<void> {
  if (message.role === "user" && run.unsent.delete(message))
    await ask(run.core, "input.sent", { text: textOf(message.content) }, run.signal);
}

/** A queued text after hooks on `prompt.before` have judged it, with the context that they add. */
interface Judged {
  readonly entering: UserMessage | undefined;
  readonly context?: readonly CustomMessage[];
}

async function judged(run: Run, message: UserMessage): Promise<Judged> {
  const { core, signal } = run;
  const text = textOf(message.content);
  const others = typeof message.content === "string" ? [] : message.content.filter(({ type }) => type !== "text");
  const images = others.filter(({ type }) => type === "image");
  const { answer, said, hooks } = await ask(
    core,
    "prompt.before",
    { text, ...(images.length > 0 && { images: images as readonly Content[] }) },
    signal,
  );
  const told = waitingTexts("prompt.before", answer.additionalContext, hooks);
  if (signal.aborted) {
    run.nextContext.push(...told);
    return { entering: message };
  }
  if (core.halts.take(answer.halt) !== undefined) return { entering: undefined };
  if (answer.stop) {
    const { feedback } = answer;
    if (feedback !== undefined && mayRetry(run, said))
      return { entering: writtenBy(userMessage(feedback), authorsOf(feedback, hooks)) };
    const because = answer.reason === undefined ? "." : `: ${answer.reason}`;
    core.tell({ type: "notice", level: "warning", text: `A hook stopped the message that was waiting${because}` });
    return { entering: undefined };
  }
  await nameByHook(core, answer.title);
  const context = contextMessages(told);
  if (answer.text === undefined || answer.text === text) return { entering: message, context };
  return { entering: { ...message, content: [{ type: "text", text: answer.text }, ...others] }, context };
}
