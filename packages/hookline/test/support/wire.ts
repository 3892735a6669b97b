import type { ScriptCall, ScriptReply } from "../../src/provider/reply.ts";

/** A call of a scripted reply as a protocol can have it. */
export interface WireCall extends ScriptCall {
  /** The group of tools that it belongs to. */
  readonly namespace?: string;
  /** The text for a tool that takes one instead of arguments. */
  readonly freeText?: string;
}

/** A scripted reply as a protocol can have it. */
export interface WireReply extends ScriptReply {
  readonly toolCalls?: readonly WireCall[];
}

interface Failure {
  readonly status: number;
  readonly message: string;
}

/** The server-sent events of a chat-completions stream, tool calls in pieces, usage last. */
export function* openAiEvents(reply: WireReply, model: string): Generator<string> {
  const chunk = (delta: object, finish: string | null = null): string =>
    data({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  const head = { id: "chatcmpl-loopback", object: "chat.completion.chunk", created: 1, model };
  yield chunk({ role: "assistant", content: "" });
  for (const piece of pieces(reply.thinking)) yield chunk({ reasoning_content: piece });
  for (const piece of pieces(reply.text)) yield chunk({ content: piece });
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const id = call.id ?? `call_${index + 1}`;
    if (call.freeText !== undefined) {
      const custom = { name: call.name, input: call.freeText };
      yield chunk({ tool_calls: [{ index, id, type: "custom", custom }] });
      continue;
    }
    yield chunk({ tool_calls: [{ index, id, type: "function", function: { name: call.name, arguments: "" } }] });
    for (const piece of pieces(argumentsOf(call))) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  const reasons = { stop: "stop", length: "length", toolUse: "tool_calls" };
  yield chunk({}, reasons[stopReason(reply)]);
  const { input = 0, output = 0, cacheRead = 0 } = reply.usage ?? {};
  yield data({
    ...head,
    choices: [],
    usage: {
      prompt_tokens: input + cacheRead,
      completion_tokens: output,
      total_tokens: input + cacheRead + output,
      prompt_tokens_details: { cached_tokens: cacheRead },
    },
  });
  yield "data: [DONE]\n\n";
}

/** The body of a failed chat-completions request. */
export function openAiFailure({ status, message }: Failure): object {
  const type = status >= 500 ? "server_error" : status === 429 ? "rate_limit_error" : "invalid_request_error";
  return { error: { message, type, code: null } };
}

/** The server-sent events of Anthropic's messages stream. */
export function* anthropicEvents(reply: ScriptReply, model: string): Generator<string> {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = reply.usage ?? {};
  const usage = {
    input_tokens: input,
    output_tokens: 0,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
  const message = {
    id: "msg_loopback",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    usage,
  };
  let index = 0;
  function* block(start: object, deltas: Iterable<object>): Generator<string> {
    yield named("content_block_start", { index, content_block: start });
    for (const delta of deltas) yield named("content_block_delta", { index, delta });
    yield named("content_block_stop", { index });
    index++;
  }
  yield named("message_start", { message });
  if (reply.thinking !== undefined) {
    const thoughts = [...pieces(reply.thinking)].map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: "c2lnbmVk" };
    yield* block({ type: "thinking", thinking: "", signature: "" }, [...thoughts, signature]);
  }
  if (reply.text !== undefined) {
    const deltas = [...pieces(reply.text)].map((text) => ({ type: "text_delta", text }));
    yield* block({ type: "text", text: "" }, deltas);
  }
  for (const [number, call] of (reply.toolCalls ?? []).entries()) {
    const deltas = [...pieces(argumentsOf(call))].map((piece) => ({ type: "input_json_delta", partial_json: piece }));
    yield* block({ type: "tool_use", id: call.id ?? `call_${number + 1}`, name: call.name, input: {} }, deltas);
  }
  const reasons = { stop: "end_turn", length: "max_tokens", toolUse: "tool_use" };
  const delta = { stop_reason: reasons[stopReason(reply)], stop_sequence: null };
  yield named("message_delta", { delta, usage: { output_tokens: output } });
  yield named("message_stop", {});
}

/** The body of a failed messages request. */
export function anthropicFailure({ status, message }: Failure): object {
  const types: Record<number, string> = {
    401: "authentication_error",
    429: "rate_limit_error",
    529: "overloaded_error",
  };
  return { type: "error", error: { type: types[status] ?? "api_error", message } };
}

/** The server-sent events of OpenAI's responses stream. */
export function* responsesEvents(reply: WireReply, model: string): Generator<string> {
  const head = { id: "resp_loopback", object: "response", model };
  let output_index = 0;
  yield named("response.created", { response: { ...head, status: "in_progress", output: [] } });
  if (reply.thinking !== undefined) {
    const item = { type: "reasoning", id: "rs_1", summary: [] as object[] };
    yield named("response.output_item.added", { output_index, item });
    for (const delta of pieces(reply.thinking)) yield named("response.reasoning_text.delta", { output_index, delta });
    const content = [{ type: "reasoning_text", text: reply.thinking }];
    yield named("response.output_item.done", { output_index: output_index++, item: { ...item, content } });
  }
  if (reply.text !== undefined) {
    const item = { type: "message", id: "msg_1", role: "assistant", content: [] as object[] };
    yield named("response.output_item.added", { output_index, item });
    for (const delta of pieces(reply.text)) yield named("response.output_text.delta", { output_index, delta });
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    yield named("response.output_item.done", { output_index: output_index++, item: { ...item, content } });
  }
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const { name, namespace, freeText } = call;
    const known = { id: `fc_${index}`, call_id: call.id ?? `call_${index + 1}`, name, ...(namespace && { namespace }) };
    if (freeText !== undefined) {
      const item = { type: "custom_tool_call", ...known };
      yield named("response.output_item.added", { output_index, item: { ...item, input: "" } });
      yield named("response.output_item.done", { output_index: output_index++, item: { ...item, input: freeText } });
      continue;
    }
    const item = { type: "function_call", ...known };
    const whole = argumentsOf(call);
    yield named("response.output_item.added", { output_index, item: { ...item, arguments: "" } });
    for (const delta of pieces(whole)) yield named("response.function_call_arguments.delta", { output_index, delta });
    yield named("response.function_call_arguments.done", { output_index, arguments: whole });
    yield named("response.output_item.done", { output_index: output_index++, item: { ...item, arguments: whole } });
  }
  const { input = 0, output = 0, cacheRead = 0 } = reply.usage ?? {};
  const usage = {
    input_tokens: input + cacheRead,
    output_tokens: output,
    total_tokens: input + cacheRead + output,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const cut = stopReason(reply) === "length";
  const end = cut
    ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    : { status: "completed" };
  yield named(`response.${end.status}`, { response: { ...head, ...end, usage, output: [] } });
}

/** Stands for arguments that are put in as they are. */
const RAW = "the arguments";

/** The server-sent events of Gemini's stream; calls come whole, as they do there. */
export function* googleEvents(reply: ScriptReply, model: string): Generator<string> {
  const part = (value: object, more: object = {}): string =>
    data({
      responseId: "google-loopback",
      modelVersion: model,
      candidates: [{ content: { role: "model", parts: [value] }, ...more }],
    });
  for (const text of pieces(reply.thinking)) yield part({ text, thought: true });
  for (const text of pieces(reply.text)) yield part({ text });
  for (const call of reply.toolCalls ?? []) {
    const raw = call.argumentsRaw ?? JSON.stringify(call.arguments ?? {});
    yield part({ functionCall: { id: call.id, name: call.name, args: RAW } }).replace(`"${RAW}"`, () => raw);
  }
  const { input = 0, output = 0, cacheRead = 0 } = reply.usage ?? {};
  const counts = {
    promptTokenCount: input + cacheRead,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
  };
  yield data({
    candidates: [
      { content: { role: "model", parts: [] }, finishReason: stopReason(reply) === "length" ? "MAX_TOKENS" : "STOP" },
    ],
    usageMetadata: { ...counts, totalTokenCount: input + cacheRead + output },
  });
}

/** The body of a reply of Gemini's that is not streamed. */
export function* googleWhole({ text = "" }: ScriptReply, model: string): Generator<string> {
  const content = { role: "model", parts: [{ text }] };
  yield JSON.stringify({ modelVersion: model, candidates: [{ content, finishReason: "STOP" }] });
}

/** The body of a failed request to Gemini. */
export function googleFailure({ status, message }: Failure): object {
  return { error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : "UNKNOWN" } };
}

function stopReason(reply: ScriptReply): "stop" | "length" | "toolUse" {
  return reply.stopReason ?? ((reply.toolCalls ?? []).length > 0 ? "toolUse" : "stop");
}

function argumentsOf(call: ScriptCall): string {
  return call.argumentsRaw ?? JSON.stringify(call.arguments ?? {});
}

function* pieces(text = ""): Generator<string> {
  for (const [piece] of text.matchAll(/[\s\S]{1,5}/gu)) yield piece;
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function named(type: string, value: object): string {
  return `event: ${type}\n${data({ type, ...value })}`;
}
