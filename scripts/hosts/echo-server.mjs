// An MCP server on stdio with one tool, which echoes a text.
import { createInterface } from "node:readline";

const echo = {
  name: "echo",
  description: "Echoes a text",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "rig", version: "1" },
    }),
    "tools/list": () => ({ tools: [echo] }),
    "tools/call": () => ({ content: [{ type: "text", text: `ECHOED ${params.arguments.text}` }] }),
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.() ?? {} }));
}
