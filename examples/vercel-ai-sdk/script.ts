const rest = {
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
  warnings: [],
};
let count = 0;

/** A reply of the scripted model that calls a tool. */
export function calls(toolName: string, input: object) {
  const content = [
    { type: "tool-call" as const, toolCallId: `call-${++count}`, toolName, input: JSON.stringify(input) },
  ];
  return { ...rest, content, finishReason: { unified: "tool-calls" as const, raw: undefined } };
}

/** A reply of the scripted model that says something. */
export function says(text: string) {
  return {
    ...rest,
    content: [{ type: "text" as const, text }],
    finishReason: { unified: "stop" as const, raw: undefined },
  };
}
