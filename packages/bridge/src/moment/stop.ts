import type { Message } from "@hookline/runtime";
import { textOf } from "@hookline/runtime";
import type { HostHooks } from "../host/host.ts";

/** An agent that has answered and would stop. */
export interface StoppingAgent {
  readonly prompt: string;
  /** The last reply, without those of earlier rounds. */
  readonly reply: string;
  /** The run's messages, where the host shows them. */
  readonly messages?: readonly Message[];
  /** Whether hooks have sent this agent on already, as far as the host tells; undefined of a host that does not. */
  readonly stopHookActive: boolean | undefined;
}

/**
 * Asks whether an agent may stop: `agent.stop`, and where nobody objects `agent.before-settle`. Gives the text to go on
 * with, or nothing.
 */
export async function askStop(hooks: HostHooks, about: StoppingAgent): Promise<string | undefined> {
  const feedback = (await askFeedback(hooks, about)) ?? (await askSettle(hooks, about));
  hooks.memory.set(SENT_ON, feedback);
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
  /** The text to go on with. */
  readonly block?: string;
}

/** Asks whether an agent may stop, and tells those who only watch where it does. The prompt is the last remembered one. */
export async function askEnd(hooks: HostHooks, about: Omit<StoppingAgent, "prompt">): Promise<EndVerdict> {
  const reply = { ...about, prompt: (hooks.memory.get(PROMPT) as string | undefined) ?? "" };
  const block = await askStop(hooks, reply);
  if (block === undefined) await tellEnd(hooks, reply);
  return { notices: hooks.notices(), ...(block !== undefined && { block }) };
}

/** Keeps what a person has typed, for a host that does not tell it again at the end. */
export function rememberPrompt({ memory }: HostHooks, prompt: string): void {
  memory.set(PROMPT, prompt);
}

/**
 * Whether a prompt is what hooks have sent the agent on with, in a host that gives it to its model as one. It is asked once:
 * a person may say the same later. Where it `isJoined` the host's own hooks may have added lines.
 */
export function isSentOn({ memory }: HostHooks, prompt: string, isJoined: boolean): boolean {
  const feedback = (memory.get(SENT_ON) as string | undefined)?.trim();
  memory.delete(SENT_ON);
  if (feedback === undefined) return false;
  return isJoined ? `\n${prompt.trim()}\n`.includes(`\n${feedback}\n`) : prompt.trim() === feedback;
}

const PROMPT = "prompt";
const SENT_ON = "sent on with";

/** Tells those who only watch that a run is over. */
export async function tellEnd(hooks: HostHooks, { prompt, reply }: StoppingAgent): Promise<void> {
  await hooks.emit("reply.final", { prompt, finalPrompt: prompt, reply });
  await hooks.emit("agent.end", { messages: exchange(prompt, reply) });
  await hooks.emit("agent.settled", { aborted: false });
}

/** The moments at which an agent would stop. */
export const STOP_MOMENTS = ["agent.stop", "agent.before-settle"] as const;

/** The moments at which it has stopped. */
export const END_MOMENTS = ["reply.final", "agent.end", "agent.settled"] as const;

/** The exchange as the catalog has messages. */
export function exchange(prompt: string, reply: string): Message[] {
  const content = [{ type: "text" as const, text: prompt }];
  return [...(prompt === "" ? [] : [{ role: "user" as const, content, timestamp: Date.now() }]), replyMessage(reply)];
}

/** A reply of the model as the catalog has it, with what no host tells left at nothing. */
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
