import type { Message } from "@hookline/runtime";
import { textOf } from "@hookline/runtime";
import type { HostHooks } from "../host.ts";

/** An agent that has answered and would stop. */
export interface Reply {
  readonly prompt: string;
  readonly reply: string;
  /** The run's messages, where the host shows them. */
  readonly messages?: readonly Message[];
  /** Whether hooks have sent this agent on already, as far as the host tells. */
  readonly stopHookActive: boolean;
}

/**
 * Asks whether an agent may stop: `agent.stop`, and where nobody objects `agent.before-settle`. Gives the text to go on
 * with, or nothing.
 */
export async function askStop(hooks: HostHooks, about: Reply): Promise<string | undefined> {
  const { prompt, reply, stopHookActive, messages = exchange(prompt, reply) } = about;
  const feedback = await hooks.stop({ prompt, reply, messages, retryCount: 0, stopHookActive });
  if (feedback !== undefined) return feedback;
  const settle = await hooks.emit("agent.before-settle", {
    entries: [],
    continue: false,
    canContinue: true,
    outcome: "completed",
  });
  const { entries = [], continue: isWanted } = settle.answer;
  const added = entries.flatMap((entry) => (isMessage(entry) ? textOf(entry.content) : [])).join("\n\n");
  return isWanted && added !== "" && mayContinue(hooks) ? added : undefined;
}

/** What becomes of an agent that would stop. */
export interface EndVerdict {
  readonly notices: readonly string[];
  /** The text to go on with. */
  readonly block?: string;
}

/** Asks whether an agent may stop, and tells those who only watch where it does. The prompt is the last remembered one. */
export async function askEnd(hooks: HostHooks, about: Omit<Reply, "prompt">): Promise<EndVerdict> {
  const reply = { ...about, prompt: (hooks.memory.get(PROMPT) as string | undefined) ?? "" };
  const block = await askStop(hooks, reply);
  hooks.memory.set(SENT_ON, block);
  if (block === undefined) await tellEnd(hooks, reply);
  return { notices: hooks.notices(), ...(block !== undefined && { block }) };
}

/** Keeps what a person has typed, for a host that does not tell it again at the end. */
export function rememberPrompt({ memory }: HostHooks, prompt: string): void {
  memory.set(PROMPT, prompt);
}

/**
 * Whether a prompt is what a hook has sent the agent on with, in a host that asks about that as about a person's: it is
 * judged by nobody, and does not end the count of how often hooks have done so.
 */
export function isSentOn({ memory }: HostHooks, prompt: string): boolean {
  const isOurs = memory.get(SENT_ON) === prompt;
  memory.delete(SENT_ON);
  return isOurs;
}

const PROMPT = "prompt";
const SENT_ON = "sent on with";

/** Tells those who only watch that a run is over. */
export async function tellEnd(hooks: HostHooks, { prompt, reply }: Reply): Promise<void> {
  await hooks.emit("reply.final", { prompt, finalPrompt: prompt, reply });
  await hooks.emit("agent.end", { messages: exchange(prompt, reply) });
  await hooks.emit("agent.settled", { aborted: false });
}

const CONTINUED = "continued by a hook";

/** How often `agent.before-settle` may send an agent on after one prompt; no host limits it. Source: decision 5. */
const MOST = 5;

function mayContinue({ memory }: HostHooks): boolean {
  const count = (memory.get(CONTINUED) as number | undefined) ?? 0;
  memory.set(CONTINUED, count + 1);
  return count < MOST;
}

/** Forgets how often the agent was sent on: a person has said something new. */
export function startCounting({ memory }: HostHooks): void {
  memory.delete(CONTINUED);
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
