import type { Message } from "@hookline/runtime";
import type { Model, Provider, ProviderCall, ProviderRequest, StreamEvent } from "../../src/provider/provider.ts";

/** A model for requests in tests. */
export function testModel(change: Partial<Model> = {}): Model {
  return {
    id: "test-1",
    name: "Test 1",
    api: "openai-completions",
    provider: "test",
    baseUrl: "http://127.0.0.1:9/v1",
    reasoning: false,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 4096,
    ...change,
  };
}

/** A message of the person. */
export function user(content: string): Message {
  return { role: "user", content, timestamp: 1 };
}

/** A request with one message, or with those given. */
export function ask(
  content: string | readonly Message[] = "hello",
  change: Partial<ProviderRequest> = {},
): ProviderRequest {
  const messages = typeof content === "string" ? [user(content)] : content;
  return { model: testModel(), systemPrompt: "You are a test.", messages, tools: [], ...change };
}

/** Everything that a provider sent for a request; checks that it ended exactly once, at the end. */
export async function collect(provider: Provider, request: ProviderRequest, call: ProviderCall = {}) {
  const events: StreamEvent[] = [];
  for await (const event of provider.stream(request, call)) events.push(event);
  const last = events.at(-1);
  const ends = events.filter((event) => event.type === "done" || event.type === "error");
  if (last === undefined || ends.length !== 1 || ends[0] !== last) {
    throw new Error(`The stream did not end exactly once: ${events.map((event) => event.type).join(" ")}`);
  }
  const message = last.type === "done" ? last.message : last.type === "error" ? last.error : undefined;
  if (message === undefined) throw new Error("unreachable");
  return { events, types: events.map((event) => event.type), message, ended: last.type };
}

/** The text blocks of a message, joined. */
export function said(message: { readonly content: readonly object[] }): string {
  return message.content.map((block) => ("text" in block ? String(block.text) : "")).join("");
}

/** The pieces of one kind of block, in the order in which they came. */
export function deltas(
  events: readonly StreamEvent[],
  type: "text_delta" | "thinking_delta" | "toolcall_delta",
): string[] {
  return events.flatMap((event) => ("delta" in event && event.type === type ? [event.delta] : []));
}
