import { isDeepStrictEqual } from "node:util";
import type { HostHooks, HostRow } from "@hookline/bridge/kit";
import { compared, maybeText, objectIn, replyMessage } from "@hookline/bridge/kit";
import { type Fields, isFields } from "@hookline/ground";
import { type Message, type Payload, textOf } from "@hookline/runtime";
import type { CallReading } from "@hookline/runtime/engine";
import type { Words } from "./words.ts";

type Event = HostRow<Words>;

/** A message of a request as Gemini CLI shows it to hooks: only its text. */
interface Told {
  readonly role: string;
  readonly content: string;
}

/**
 * Fires before each request to the model. Gemini CLI replaces the request's texts by the answer's, one by one, and
 * appends further ones; tool calls and results stay. So hooks can change texts, but add them only at the end.
 *
 * Source: spec/hosts/gemini/model-rewrite.json, and Gemini CLI's code.
 */
export const beforeModel: Event = {
  // Also names `input` and `prompt.before`, since this event puts the prompt that their hooks changed into the request.
  // If only such hooks exist and the daemon is away, the client refuses the request, which has the old prompt.
  moments: ["model.context", "model.request", "input", "prompt.before"],
  refuse: (deny) => ({ deny }),
  async say(payload, hooks) {
    hooks.memory.delete(REPLY);
    const given = objectIn(payload, "llm_request");
    const texts = textsIn(given);
    const kept = texts.map((text) => asKept(text, hooks));
    const shown = kept.map(messageOf);
    const model = maybeText(given, "model") ?? "";
    const context = await hooks.emit("model.context", { messages: shown, systemPrompt: "", model });
    if (context.answer.stop) return { deny: context.answer.feedback || "A hook stopped this request." };
    const added = (context.answer.additionalContext ?? []).join("\n\n");
    const note: Message = { role: "user", content: added, timestamp: Date.now() };
    const wanted = [
      ...(context.answer.messages ?? shown),
      ...(context.answer.inject ?? []),
      ...(added === "" ? [] : [note]),
    ];
    const about = requestOf(given, wanted);
    const { answer } = await hooks.emit("model.request", { request: about });
    if (answer.stop) return { deny: "A hook stopped this request." };
    const request = answer.request ?? about;
    const messages = textsFor(kept, shown, request.messages);
    const more = settingsFor(given, about, request);
    if (isDeepStrictEqual(messages, texts) && Object.keys(more).length === 0) return undefined;
    return { request: { messages, ...more } };
  },
};

/** Fires before each request, about the tools it offers. Gemini CLI does not name them, and can offer all or none. */
export const beforeToolSelection: Event = {
  moments: ["tools.select"],
  async say(_, hooks) {
    const { answer } = await hooks.emit("tools.select", { tools: [] });
    const { include, exclude } = answer;
    hooks.memory.set(CHOICE, { ...(include && { include }), ...(exclude && { exclude }) } satisfies Choice);
    return include?.length === 0 ? { noTools: true } : undefined;
  },
};

/**
 * Fires for each piece of the model's answer. A hook's change affects what is shown; Gemini CLI keeps the original
 * text.
 */
export const afterModel: Event = {
  moments: ["model.response", "message.end"],
  async say(payload, hooks) {
    const response = objectIn(payload, "llm_response");
    const [candidate = {}] = (response["candidates"] as readonly Fields[] | undefined) ?? [];
    const text = maybeText(response, "text") ?? "";
    const model = maybeText(objectIn(payload, "llm_request"), "model");
    const { answer } =
      text === "" ? { answer: {} as never } : await hooks.emit("model.response", { text, ...(model && { model }) });
    let said: string = answer.stop ? "" : (answer.text ?? text);
    const before = (hooks.memory.get(REPLY) as Rewritten | undefined) ?? { from: "", to: "" };
    if (candidate["finishReason"] !== undefined) {
      const message = { ...replyMessage(before.to + said), model: model ?? "" };
      const last = (await hooks.emit("message.end", { message })).answer.message;
      const whole = last !== undefined && "content" in last ? textOf(last.content as string) : before.to + said;
      // Earlier pieces have already been shown, so this piece can only become the rest of the changed text.
      if (whole.startsWith(before.to)) said = whole.slice(before.to.length);
    }
    const reply = { from: before.from + text, to: before.to + said };
    hooks.memory.set(REPLY, reply);
    if (candidate["finishReason"] !== undefined && reply.from !== reply.to) keep(hooks, REPLIES, reply);
    if (said === text) return undefined;
    const masked = { ...candidate, content: { role: "model", parts: [said] } };
    return { response: { ...response, text: said, candidates: [masked] } };
  },
};

/** Returns the last reply as the user saw it, and as the model wrote it. */
export function replyOf({ memory }: HostHooks): readonly string[] {
  const { from = "", to = "" } = (memory.get(REPLY) as Rewritten | undefined) ?? {};
  return [to, from];
}

/** An original text and its replacement. */
interface Rewritten {
  readonly from: string;
  readonly to: string;
}

interface Choice {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

const PROMPTS = "rewritten prompts";
const REPLIES = "rewritten replies";
/** The key of the current reply in `memory`. */
const REPLY = "reply";
const CHOICE = "tools of the request";

/** Remembers that each later request must contain a changed prompt. */
export function keepPrompt(hooks: HostHooks, prompt: Rewritten): void {
  keep(hooks, PROMPTS, prompt);
}

/** Whether hooks withdrew a call's tool from the request to the model that led to the call. */
export function isTakenAway({ memory }: HostHooks, { name, told, entry }: CallReading): boolean {
  const { include, exclude = [] } = (memory.get(CHOICE) as Choice | undefined) ?? {};
  const names = entry === undefined ? [told.tool, name] : [told.tool];
  return names.some((one) => exclude.includes(one)) || (include !== undefined && !include.includes(told.tool));
}

function keep({ memory }: HostHooks, name: string, one: Rewritten): void {
  memory.set(name, [...((memory.get(name) as readonly Rewritten[] | undefined) ?? []), one]);
}

function textsIn(request: Fields): readonly Told[] {
  const messages = Array.isArray(request["messages"]) ? (request["messages"] as readonly unknown[]) : [];
  return messages.flatMap((one) => (isFields(one) ? [one as never as Told] : []));
}

/** Applies the hooks' earlier changes to a text. Gemini CLI's history always has the original. */
function asKept({ role, content }: Told, { memory }: HostHooks): Told {
  const all = memory.get(role === "model" ? REPLIES : PROMPTS) as readonly Rewritten[] | undefined;
  return { role, content: (all ?? []).reduce(role === "model" ? reworded : reprompted, content) };
}

function reworded(content: string, { from, to }: Rewritten): string {
  return content === from ? to : content;
}

/**
 * The minimum length, in characters, of a prompt that is replaced anywhere in a text. A shorter one may occur by
 * chance.
 */
const LONG = 20;

/**
 * Replaces a prompt in a message, in which Gemini CLI may have put facts about the session before it and the hooks'
 * context after it.
 */
function reprompted(content: string, { from, to }: Rewritten): string {
  const at = from === "" ? -1 : content.lastIndexOf(from);
  if (at < 0) return content;
  const behind = content.slice(at + from.length);
  if (/^\s*(<hook_context>|$)/.test(behind)) return content.slice(0, at) + to + behind;
  return from.length < LONG ? content : content.replaceAll(from, () => to);
}

function messageOf({ role, content }: Told): Message {
  const timestamp = 0;
  return role === "model" ? { ...replyMessage(content), timestamp } : { role: "user", content, timestamp };
}

/** Returns the texts to send: each original one, changed or marked as removed, then those that hooks added. */
function textsFor(kept: readonly Told[], shown: readonly Message[], wanted: readonly Message[]): readonly Told[] {
  const { edited, removed, added } = compared(shown, wanted);
  const texts = new Map<number, string>([
    ...edited.map(({ at, to }) => [at, contentOf(to)] as const),
    ...removed.map((at) => [at, "(removed by a hook)"] as const),
  ]);
  const own = kept.map(({ role, content }, at) => ({ role, content: texts.get(at) ?? content }));
  const more = added.map(({ message }) => ({
    role: message.role === "assistant" ? "model" : "user",
    content: contentOf(message),
  }));
  return [...own, ...more];
}

function contentOf(message: Message): string {
  return "content" in message ? textOf(message.content as string) : "";
}

type Request = Payload<"model.request">["request"];

function requestOf(given: Fields, messages: readonly Message[]): Request {
  const { temperature, maxOutputTokens } = objectIn(given, "config");
  return {
    model: { id: maybeText(given, "model") ?? "", provider: "google" },
    systemPrompt: "",
    messages,
    tools: [],
    ...(typeof temperature === "number" && { temperature }),
    ...(typeof maxOutputTokens === "number" && { maxTokens: maxOutputTokens }),
  };
}

/** Returns the model and settings that hooks have changed. Gemini CLI replaces the settings as a whole. */
function settingsFor(given: Fields, before: Request, { model, temperature, maxTokens }: Request): Fields {
  const isSame = temperature === before.temperature && maxTokens === before.maxTokens;
  const config = { ...objectIn(given, "config"), temperature, maxOutputTokens: maxTokens };
  return { ...(model.id !== before.model.id && { model: model.id }), ...(!isSame && { config }) };
}
