/** A model's reply: text, or a tool call after a number of pieces of text. */
export type Reply =
  | { readonly id: string; readonly text: string }
  | {
      readonly id: string;
      readonly call: ToolCall;
      readonly tokens: number;
      /** The number of characters of the arguments that arrive at once, for chat completions. */
      readonly pieces?: number;
    };

/** A tool of the measured agent, with its arguments. */
export interface ToolCall {
  readonly tool: string;
  readonly args: object;
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Encodes a reply for OpenAI's chat completions API. */
function chat(reply: Reply): string {
  const about = { id: "c", object: "chat.completion.chunk", created: 0, model: "m1" };
  const choice = (delta: object, finish_reason: string | null = null): object => ({
    ...about,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const done = { ...about, choices: [], usage: USAGE };
  if ("text" in reply)
    return `${events([choice({ role: "assistant", content: reply.text }), choice({}, "stop"), done])}data: [DONE]\n\n`;
  const { tool, args } = reply.call;
  const [first = "", ...rest] = cut(JSON.stringify(args), reply.pieces);
  const called = { index: 0, id: reply.id, type: "function", function: { name: tool, arguments: first } };
  const tokens = Array.from({ length: reply.tokens }, () => choice({ content: "token " }));
  const calls = [
    choice({ role: "assistant", tool_calls: [called] }),
    ...rest.map((piece) => choice({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ];
  return `${events([...tokens, ...calls, choice({}, "tool_calls"), done])}data: [DONE]\n\n`;
}

function cut(text: string, length = text.length): string[] {
  const count = Math.ceil(text.length / length);
  return Array.from({ length: count }, (_, i) => text.slice(i * length, (i + 1) * length));
}

/** Encodes a reply for OpenAI's responses API. */
function responses(reply: Reply): string {
  const { id } = reply;
  const item =
    "text" in reply
      ? { type: "message", id: `m-${id}`, role: "assistant", content: [{ type: "output_text", text: reply.text }] }
      : {
          type: "function_call",
          id: `f-${id}`,
          call_id: id,
          name: reply.call.tool,
          arguments: JSON.stringify(reply.call.args),
        };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return events([
    { type: "response.created", response: { id } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id, usage } },
  ]);
}

/** Encodes a reply for Google's `streamGenerateContent`. */
function google(reply: Reply): string {
  const part =
    "text" in reply ? { text: reply.text } : { functionCall: { name: reply.call.tool, args: reply.call.args } };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  const content = { role: "model", parts: [part] };
  return events([{ candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata }]);
}

/** Encodes server-sent events, each with its type if it has one. */
function events(all: readonly object[]): string {
  return all.map((one) => `${"type" in one ? `event: ${one.type}\n` : ""}data: ${JSON.stringify(one)}\n\n`).join("");
}

const WIRES: readonly (readonly [path: RegExp, wire: (reply: Reply) => string])[] = [
  [/\/chat\/completions$/, chat],
  [/\/responses$/, responses],
  [/:streamGenerateContent\b/, google],
];

/** Returns the function that encodes replies to a request with this path; `undefined` for anything else. */
export function wireOf(method = "", path = ""): ((reply: Reply) => string) | undefined {
  return method === "POST" ? WIRES.find(([pattern]) => pattern.test(path))?.[1] : undefined;
}
