import { type Message, textOf } from "@hookline/runtime";
import type { ProviderRequest } from "./provider.ts";

/** Converts a request to the form of the chat-completions protocol, which the scripted model gets. */
export function chatBody(request: ProviderRequest): Record<string, unknown> {
  const { model, systemPrompt, messages, tools, temperature, maxTokens, extra } = request;
  return {
    model: model.id,
    messages: [
      ...(systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt }]),
      ...messages.flatMap((message) => chatMessage(message)),
    ],
    stream: true,
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: { ...tool } })) }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...extra,
  };
}

function chatMessage(message: Message): readonly object[] {
  if (message.role === "user") return [{ role: "user", content: textOf(message.content) }];
  if (message.role === "toolResult") {
    return [{ role: "tool", tool_call_id: message.toolCallId, content: textOf(message.content) }];
  }
  if (message.role !== "assistant") return [];
  const calls = message.content.flatMap((block) =>
    block.type === "toolCall"
      ? [{ id: block.id, type: "function", function: { name: block.name, arguments: JSON.stringify(block.arguments) } }]
      : [],
  );
  return [{ role: "assistant", content: textOf(message.content), ...(calls.length > 0 && { tool_calls: calls }) }];
}

/** The parts of a request that a scripted model's conditions can check. */
export interface Heard {
  readonly system: string;
  readonly lastUser: string;
  readonly lastResult: string;
  readonly tools: readonly string[];
}

/** Returns the texts and tool names that a scripted model's conditions can check. */
export function heardIn(request: ProviderRequest): Heard {
  const { systemPrompt, messages, tools } = request;
  const user = messages.findLast((message) => message.role === "user");
  const result = messages.findLast((message) => message.role === "toolResult");
  return {
    system: systemPrompt,
    lastUser: user === undefined ? "" : textOf(user.content),
    lastResult: result === undefined ? "" : textOf(result.content),
    tools: tools.map((tool) => tool.name),
  };
}

/**
 * Like `heardIn`, but for a chat-completions body. A missing text is empty, because a hook may have replaced the body.
 */
export function heardInChat(body: unknown): Heard {
  const { messages, tools } = (body ?? {}) as { messages?: unknown; tools?: unknown };
  const last = (role: string): string => {
    const found = asList(messages).findLast((message) => message["role"] === role)?.["content"];
    return typeof found === "string" ? found : textOf(asList(found) as unknown as { type: string }[]);
  };
  return {
    system: last("system"),
    lastUser: last("user"),
    lastResult: last("tool"),
    tools: asList(tools).map((tool) => String((tool["function"] as { name?: unknown } | undefined)?.name)),
  };
}

function asList(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

/** Estimates the number of tokens of a request: a quarter of its characters. */
export function roughTokens(request: ProviderRequest): number {
  let characters = request.systemPrompt.length;
  for (const message of request.messages) {
    if (!("content" in message)) continue;
    if (typeof message.content === "string") characters += message.content.length;
    else for (const block of message.content) characters += blockLength(block);
  }
  return Math.ceil(characters / 4);
}

function blockLength(block: Readonly<Record<string, unknown>> | { readonly type: string }): number {
  const { text, thinking, data, arguments: args } = block as Readonly<Record<string, unknown>>;
  if (typeof text === "string") return text.length;
  if (typeof thinking === "string") return thinking.length;
  if (typeof data === "string") return 4800;
  return args === undefined ? 0 : JSON.stringify(args).length;
}
