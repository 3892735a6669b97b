import { type Payload, textOf } from "@hookline/runtime";
import type { Content } from "@hookline/runtime/engine";
import type { HostHooks } from "../host/host.ts";

/** The hooks' decision about a text that a person has typed. */
export interface TextVerdict {
  /** The reason why the person's text must not be sent to the model. */
  readonly refused?: string;
  /** The text as hooks have rewritten it; absent if they have not. */
  readonly text?: string;
  readonly images?: readonly Content[];
  /** Texts for the model, beside the prompt. */
  readonly context: readonly string[];
}

/**
 * Asks the hooks about a text that a person has typed: `input`, then `prompt.before`. `input.sent` notifies observers.
 */
export async function askText(
  hooks: HostHooks,
  prompt: string,
  more: Partial<Omit<Payload<"input">, "text">> = {},
): Promise<TextVerdict> {
  const refused = (reason: string): TextVerdict => ({ refused: reason, context: [] });
  const input = await hooks.emit("input", { text: prompt, source: "interactive", ...more });
  if (input.answer.handled) return refused("A hook has handled this text; it is not sent.");
  if (input.answer.stop) return refused("A hook stopped this text.");
  const before = await hooks.emit("prompt.before", { text: input.answer.text ?? prompt });
  const { stop, reason, feedback, halt, additionalContext = [] } = before.answer;
  if (halt !== undefined) return refused(halt.reason || "A hook stopped this prompt.");
  if (stop) return refused(reason || feedback || "A hook stopped this prompt.");
  const text = before.answer.text ?? input.answer.text ?? prompt;
  await hooks.emit("input.sent", { text });
  return {
    ...(text !== prompt && { text }),
    ...(input.answer.images !== undefined && { images: input.answer.images }),
    context: said(additionalContext),
  };
}

/** hookline's events for a text that a person has typed. */
export const TEXT_MOMENTS = ["input", "prompt.before", "input.sent"] as const;

/** The hooks' changes to a run that begins. */
export interface RunVerdict {
  /** The system prompt as hooks have rewritten it; absent if they have not. */
  readonly systemPrompt?: string;
  readonly context: readonly string[];
}

/** Asks the hooks about a run that begins: `agent.before-start`, and the parts of the system prompt. */
export async function askRun(hooks: HostHooks, prompt: string, shown: string): Promise<RunVerdict> {
  const built = await hooks.emit("prompt.build", { base: shown });
  const base = [...(built.answer.before ?? []), shown, ...(built.answer.after ?? [])];
  const systemPrompt = base.filter((part) => part !== "").join("\n\n");
  const { answer } = await hooks.emit("agent.before-start", { prompt, systemPrompt });
  await hooks.emit("agent.start", {});
  const messages = (answer.messages ?? []).flatMap((message) =>
    "content" in message ? textOf(message.content as string) : [],
  );
  const whole = answer.systemPrompt ?? systemPrompt;
  return { ...(whole !== shown && { systemPrompt: whole }), context: said(messages) };
}

/** hookline's events for the beginning of a run. */
export const RUN_MOMENTS = ["prompt.build", "agent.before-start", "agent.start"] as const;

/**
 * Asks the hooks about a typed text and its run, for a host that shows no system prompt. Text that hooks add to the
 * system prompt becomes context for the model.
 */
export async function askPrompt(hooks: HostHooks, prompt: string): Promise<TextVerdict> {
  const verdict = await askText(hooks, prompt);
  if (verdict.refused !== undefined) return verdict;
  const run = await askRun(hooks, verdict.text ?? prompt, "");
  return { ...verdict, context: said([...verdict.context, ...run.context, run.systemPrompt ?? ""]) };
}

/** The hooks' decision about a prompt, for a host that cannot change prompts. */
export interface FixedPrompt {
  readonly refused?: string;
  readonly context: readonly string[];
  readonly notices: readonly string[];
}

/**
 * Asks the hooks about a prompt for a host that cannot change prompts: text that they put before or after it is
 * context; `unchanged` tells the person that any other change is not made.
 */
export async function askFixedPrompt(hooks: HostHooks, prompt: string, unchanged: string): Promise<FixedPrompt> {
  const { refused, text, context } = await askPrompt(hooks, prompt);
  if (refused !== undefined) return { refused, context: [], notices: hooks.notices() };
  const added = text === undefined ? "" : addedTo(prompt, text);
  return {
    context: [...(added ? [added] : []), ...context],
    notices: [...(added === undefined ? [unchanged] : []), ...hooks.notices()],
  };
}

/** hookline's events for a prompt. */
export const PROMPT_MOMENTS = [...TEXT_MOMENTS, ...RUN_MOMENTS] as const;

function said(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}

/** Returns the text that hooks added before or after the typed prompt; nothing if they changed the prompt itself. */
function addedTo(prompt: string, rewritten: string): string | undefined {
  const at = rewritten.indexOf(prompt);
  if (at < 0 || prompt === "") return undefined;
  const parts = [rewritten.slice(0, at), rewritten.slice(at + prompt.length)];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}
