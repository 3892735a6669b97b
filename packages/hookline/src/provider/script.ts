import { chatBody, type Heard, heardIn, heardInChat } from "./chat.ts";
import { play } from "./play.ts";
import type { Model, Provider, ProviderCall, ProviderRequest } from "./provider.ts";
import type { Script, ScriptCondition, ScriptReply } from "./reply.ts";
import { settled } from "./settle.ts";

/** Returns the model of a script; `name` is the script's file. */
export function scriptModel(script: Script, name: string): Model {
  return {
    id: script.model?.id ?? "script",
    name: `script ${name}`,
    api: "script",
    provider: "script",
    baseUrl: "",
    reasoning: script.model?.reasoning ?? true,
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: script.model?.contextWindow ?? 200_000,
    maxTokens: script.model?.maxTokens ?? 16_384,
  };
}

/**
 * Makes the scripted model, which streams the next reply of a script for each request. Each reply is used once in the
 * life of the provider, unless it repeats. Conditions test the body that `onWire` returns.
 */
export function createScriptProvider(script: Script, name: string): Provider {
  const lists = {
    replies: replySequence(script.replies, "replies", name),
    hookReplies: replySequence(script.hookReplies ?? [], "hookReplies", name),
  };
  return {
    name: "script",
    stream: (request, call) =>
      settled(
        async () => {
          const heard = await send(request, call);
          const purpose = call.purpose ?? "turn";
          return play(lists[purpose === "hook" ? "hookReplies" : "replies"](heard, purpose), request, call);
        },
        request.model,
        call.signal,
      ),
  };
}

async function send(request: ProviderRequest, call: ProviderCall): Promise<Heard> {
  call.signal?.throwIfAborted();
  await call.onHeaders?.({ ...request.model.headers });
  if (call.onWire === undefined) return heardIn(request);
  const body = chatBody(request);
  return heardInChat((await call.onWire(body)) ?? body);
}

/**
 * Makes a function that returns the next reply of a script's list for a request. Replies with a condition that holds
 * come first. Each is used once unless it repeats. The function throws if none is left.
 */
export function replySequence<R extends ScriptReply>(replies: readonly R[], list: string, name: string) {
  const used = new Set<number>();
  let count = 0;
  return (heard: Heard, purpose: string): R => {
    count++;
    const left = [...replies.entries()].filter(([index]) => !used.has(index));
    const [index, reply] =
      left.find(([, one]) => one.when !== undefined && holds(one.when, heard, purpose, count)) ??
      left.find(([, one]) => one.when === undefined) ??
      [];
    if (index === undefined || reply === undefined) {
      const total = `"${list}" has ${replies.length} ${replies.length === 1 ? "entry" : "entries"}, ${used.size} used`;
      throw new Error(
        `The script ${name} has no reply left for request ${count}: ${total}. Add a reply, or "repeat: true" to the last one.`,
      );
    }
    if (reply.repeat !== true) used.add(index);
    return reply;
  };
}

function holds(when: ScriptCondition, heard: Heard, purpose: string, count: number): boolean {
  const matches = (source: string | undefined, text: string): boolean =>
    source === undefined || new RegExp(source, "u").test(text);
  return (
    matches(when.lastUserMatches, heard.lastUser) &&
    matches(when.lastResultMatches, heard.lastResult) &&
    matches(when.systemMatches, heard.system) &&
    (when.tool === undefined || heard.tools.includes(when.tool)) &&
    (when.request === undefined || when.request === count) &&
    (when.purpose === undefined || when.purpose === purpose)
  );
}
