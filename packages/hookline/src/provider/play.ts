import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { argumentsLog, isJsonObject } from "./arguments.ts";
import { roughTokens } from "./chat.ts";
import { type DraftMessage, emptyMessage, usageOf } from "./message.ts";
import type { ProviderCall, ProviderRequest, StreamEvent } from "./provider.ts";
import type { ScriptReply } from "./reply.ts";

/** Streams one scripted reply, in pieces like those of a real model. Throws the error that the reply asks for. */
export async function* play(
  reply: ScriptReply,
  request: ProviderRequest,
  call: ProviderCall,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal } = call;
  // Lets other work run, as waiting for a socket does, so that signals and timers fire between quick replies.
  await breathe();
  if (reply.delayMs) await sleep(reply.delayMs, undefined, { ...(signal && { signal }) });
  const { thinking, text, toolCalls = [], error } = reply;
  const failed = error && (error.status === undefined ? error.message : `${error.status} ${error.message}`);
  const silent = thinking === undefined && text === undefined && toolCalls.length === 0;
  if (failed !== undefined && silent) throw new Error(failed);
  await call.onResponse?.({ status: 200, headers: {} });
  const log = argumentsLog();
  const message = emptyMessage(request.model);
  yield { type: "start", partial: message };
  let sent = 0;
  for await (const event of contentOf(reply, message, takenIds(request))) {
    signal?.throwIfAborted();
    log.see(event);
    yield event;
    if (!("delta" in event)) continue;
    sent += event.delta.length;
    const pauseMs =
      reply.tokensPerSecond === undefined ? 0 : (tokens(event.delta.length) * 1000) / reply.tokensPerSecond;
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ...(signal && { signal }) });
  }
  const input = reply.usage === undefined ? roughTokens(request) : 0;
  message.usage = usageOf(request.model, {
    input,
    output: reply.usage === undefined ? tokens(sent) : 0,
    ...reply.usage,
  });
  log.seal(message);
  if (failed !== undefined) throw new Error(failed);
  const reason = reply.stopReason ?? (toolCalls.length > 0 ? "toolUse" : "stop");
  message.stopReason = reason;
  yield { type: "done", reason, message };
}

/** Fills the message block by block, a few characters at a time, and yields its events. */
async function* contentOf(reply: ScriptReply, partial: DraftMessage, taken: Set<string>): AsyncGenerator<StreamEvent> {
  if (reply.thinking !== undefined) {
    const block = { type: "thinking" as const, thinking: "" };
    const contentIndex = partial.content.push(block) - 1;
    yield { type: "thinking_start", contentIndex, partial };
    for await (const delta of pieces(reply.thinking)) {
      block.thinking += delta;
      yield { type: "thinking_delta", contentIndex, delta, partial };
    }
    yield { type: "thinking_end", contentIndex, content: block.thinking, partial };
  }
  if (reply.text !== undefined) {
    const block = { type: "text" as const, text: "" };
    const contentIndex = partial.content.push(block) - 1;
    yield { type: "text_start", contentIndex, partial };
    for await (const delta of pieces(reply.text)) {
      block.text += delta;
      yield { type: "text_delta", contentIndex, delta, partial };
    }
    yield { type: "text_end", contentIndex, content: block.text, partial };
  }
  for (const call of reply.toolCalls ?? []) {
    const raw = call.argumentsRaw ?? JSON.stringify(call.arguments ?? {});
    const block: Extract<DraftMessage["content"][number], { type: "toolCall" }> = {
      type: "toolCall",
      id: call.id ?? freshId(taken),
      name: call.name,
      arguments: {},
    };
    const contentIndex = partial.content.push(block) - 1;
    yield { type: "toolcall_start", contentIndex, partial };
    for await (const delta of pieces(raw)) yield { type: "toolcall_delta", contentIndex, delta, partial };
    if (isJsonObject(raw)) block.arguments = JSON.parse(raw) as Record<string, unknown>;
    yield { type: "toolcall_end", contentIndex, toolCall: block, partial };
  }
}

/** Splits a text at blanks, and words after every twelve characters. Yields to other work now and then. */
async function* pieces(whole: string): AsyncGenerator<string> {
  let count = 0;
  for (const [piece] of whole.matchAll(/\s*\S{1,12}|\s+/gu)) {
    if (++count % 64 === 0) await breathe();
    yield piece;
  }
}

/** Returns the ids of the calls in the request, so that a script that runs again does not repeat them. */
function takenIds(request: ProviderRequest): Set<string> {
  const taken = new Set<string>();
  for (const message of request.messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) if (block.type === "toolCall") taken.add(block.id);
  }
  return taken;
}

function freshId(taken: Set<string>): string {
  let number = taken.size + 1;
  while (taken.has(`call_${number}`)) number++;
  taken.add(`call_${number}`);
  return `call_${number}`;
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}
