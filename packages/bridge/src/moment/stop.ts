import type { Message } from "@hookline/runtime";
import { textOf } from "@hookline/runtime";
import type { HostHooks } from "../host/host.ts";
import type { Prompt } from "./rows.ts";

/** An agent that has answered and is about to stop. */
export interface StoppingAgent {
  readonly prompt: string;
  /** The model's last reply; earlier replies, after which hooks made it continue, are not part of it. */
  readonly reply: string;
  /** The run's messages, if the host shows them. */
  readonly messages?: readonly Message[];
  /** Whether hooks have already made this agent continue; `undefined` if the host does not report it. */
  readonly stopHookActive: boolean | undefined;
}

/**
 * Asks the hooks whether an agent may stop: `agent.stop` and, if no hook objects, `agent.before-settle`. Returns the
 * text with which the agent must continue, or `undefined`.
 */
export async function askStop(hooks: HostHooks, about: StoppingAgent): Promise<string | undefined> {
  const feedback = (await askFeedback(hooks, about)) ?? (await askSettle(hooks, about));
  // A host that sends feedback as prompts may still have earlier feedback to send, so that stays in the list.
  const waiting = hooks.memory.has(ECHOES) ? waitingIn(hooks) : [];
  hooks.memory.set(SENT_ON, feedback === undefined ? waiting : [...waiting, feedback.trim()]);
  return feedback;
}

async function askFeedback(hooks: HostHooks, about: StoppingAgent): Promise<string | undefined> {
  const { retries } = hooks;
  const { prompt, reply, messages = exchange(prompt, reply), stopHookActive } = about;
  const { answer, said } = await hooks.emit("agent.stop", {
    prompt,
    reply,
    messages,
    retryCount: retries.count,
    stopHookActive: stopHookActive === true || retries.any,
    cap: retries.cap,
  });
  const isWanted = !answer.stop && answer.feedback !== undefined;
  const wishes = said.flatMap(({ lane, answer }) => (isWanted && answer["feedback"] !== undefined ? [lane] : []));
  const heard = retries.grant(wishes, stopHookActive);
  if (heard.size === 0) return undefined;
  const texts = said.flatMap(({ lane, answer }) =>
    heard.has(lane) || !wishes.includes(lane)
      ? [answer["feedback"], answer["additionalContext"]].flat().filter((text) => typeof text === "string")
      : [],
  );
  return texts.join("\n\n");
}

async function askSettle(hooks: HostHooks, { stopHookActive }: StoppingAgent): Promise<string | undefined> {
  const { answer, said } = await hooks.emit("agent.before-settle", {
    entries: [],
    continue: false,
    canContinue: true,
    outcome: "completed",
  });
  const { entries = [], continue: isWanted } = answer;
  const added = entries.flatMap((entry) => (isMessage(entry) ? textOf(entry.content) : [])).join("\n\n");
  if (!isWanted || added === "") return undefined;
  const wishes = said.flatMap(({ lane, answer }) => (answer["continue"] ? [lane] : []));
  return hooks.retries.grant(wishes, stopHookActive).size > 0 ? added : undefined;
}

/** The hooks' decision about an agent that is about to stop. */
export interface EndVerdict {
  readonly notices: readonly string[];
  /** The text with which the agent must continue. */
  readonly block?: string;
}

/**
 * Asks the hooks whether an agent may stop, and notifies observers if it does. The prompt is that of `rememberPrompt`.
 */
export async function askEnd(hooks: HostHooks, about: Omit<StoppingAgent, "prompt">): Promise<EndVerdict> {
  const reply = { ...about, prompt: (hooks.memory.get(PROMPT) as string | undefined) ?? "" };
  const block = await askStop(hooks, reply);
  if (block === undefined) await tellEnd(hooks, reply);
  return { notices: hooks.notices(), ...(block !== undefined && { block }) };
}

/** Keeps the prompt that a person has typed, for a host that omits it when the agent stops. */
export function rememberPrompt({ memory }: HostHooks, prompt: string): void {
  memory.set(PROMPT, prompt);
}

/**
 * Whether a prompt is hooks' feedback, for a host that sends feedback to its model as a prompt. Each feedback is
 * recognised once: a person may type the same later. Prompts that no person has written may come before it. With
 * `isJoined`, other lines may surround it.
 */
export function isSentOn(hooks: HostHooks, { text, from, isJoined = false }: Prompt): boolean {
  const waiting = waitingIn(hooks);
  const prompt = text.trim();
  const at = isJoined ? waiting.findIndex((one) => `\n${prompt}\n`.includes(`\n${one}\n`)) : waiting.indexOf(prompt);
  if (at >= 0) hooks.memory.set(ECHOES, true).set(SENT_ON, waiting.toSpliced(at, 1));
  else if (from !== "model") hooks.memory.delete(SENT_ON);
  return at >= 0;
}

/** Returns the texts with which hooks made the agent continue, and which the host has not sent to its model yet. */
function waitingIn({ memory }: HostHooks): readonly string[] {
  return (memory.get(SENT_ON) as readonly string[] | undefined) ?? [];
}

/** Set in `memory` once the host has sent hooks' feedback to its model as a prompt. */
const ECHOES = "sends feedback as prompts";
const PROMPT = "prompt";
const SENT_ON = "sent on with";

/** Notifies observers that a run is over. */
export async function tellEnd(hooks: HostHooks, { prompt, reply }: StoppingAgent): Promise<void> {
  await hooks.emit("reply.final", { prompt, finalPrompt: prompt, reply });
  await hooks.emit("agent.end", { messages: exchange(prompt, reply) });
  await hooks.emit("agent.settled", { aborted: false });
}

/** hookline's events for an agent that is about to stop. */
export const STOP_MOMENTS = ["agent.stop", "agent.before-settle"] as const;

/** hookline's events for an agent that has stopped. */
export const END_MOMENTS = ["reply.final", "agent.end", "agent.settled"] as const;

/** Returns the prompt and the reply as messages of the catalog. */
export function exchange(prompt: string, reply: string): Message[] {
  const content = [{ type: "text" as const, text: prompt }];
  return [...(prompt === "" ? [] : [{ role: "user" as const, content, timestamp: Date.now() }]), replyMessage(reply)];
}

/** Makes a message of the catalog from a reply, with zeros for the values that no host reports. */
export function replyMessage(text: string): Message & { readonly role: "assistant" } {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "",
    provider: "",
    model: "",
    usage,
    stopReason: "stop",
    timestamp: Date.now(),
  };
}

function isMessage(entry: object): entry is { readonly content: string | readonly { readonly type: string }[] } {
  const { content, type } = entry as Readonly<Record<string, unknown>>;
  return type === "custom_message" && (typeof content === "string" || Array.isArray(content));
}
