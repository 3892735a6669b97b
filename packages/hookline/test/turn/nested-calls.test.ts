import { existsSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "@hookline/runtime";
import { expect, test } from "vitest";
import { startBench } from "../agent/bench.ts";

/** An extension whose tool calls others, as pi's code mode does; its result is what they gave. */
const CALLER = `export default (pi) => {
  const seen = [];
  for (const event of ["tool_execution_start", "tool_call", "tool_result", "tool_execution_end"])
    pi.on(event, ({ toolCallId, parentToolCallId }) => void seen.push([event, toolCallId, parentToolCallId ?? null]));
  pi.on("agent_end", () => pi.appendEntry("seen", seen));
  pi.registerTool({
    name: "both", label: "both", description: "d", parameters: { type: "object", properties: {} },
    async execute(id, params, signal, onUpdate, ctx) {
      const outcomes = [];
      for (const [name, args] of [
        ["write", { path: "allowed.txt", content: "x" }],
        ["write", { path: "refused.txt", content: "x" }],
        ["write", { path: 5 }],
        ["nothing", {}],
      ]) {
        const { toolCall, result, isError } = await ctx.executeTool(name, args, { onUpdate: (partial) => seen.push(["partial", partial.content[0].text]) });
        outcomes.push([toolCall.id, isError, result.content[0].text]);
      }
      const text = JSON.stringify({ outcomes, tools: ctx.tools.map(({ name }) => name).includes("write") });
      return { content: [{ type: "text", text }], details: {} };
    },
  });
};
`;

test("a call that a tool makes by ctx.executeTool passes all guards, and stays out of the conversation", async () => {
  const { agent, hooks, project } = await startBench({
    files: { ".hookline/extensions/caller.ts": CALLER },
    trust: true,
    replies: [{ toolCalls: [{ id: "c", name: "both", arguments: {} }] }, { text: "done" }],
  });
  const asked: unknown[] = [];
  hooks.on("tool.before", ({ toolCallId, tool, args }) => {
    asked.push([toolCallId, tool]);
    return args["path"] === "refused.txt" ? { decision: "deny", reason: "not that" } : undefined;
  });
  hooks.on("tool.after", ({ tool, content }) =>
    tool === "write" ? { content: [{ type: "text", text: `seen: ${textOf(content)}` }] } : undefined,
  );
  await agent.prompt("Do both");
  const [seen] = agent.core.store.getEntries().flatMap((entry) => (entry.type === "custom" ? [entry.data] : []));
  const started = ["tool_execution_start", "tool_call"];
  expect((seen as unknown[]).slice(0, 6)).toEqual([
    ...started.map((event) => [event, "c", null]),
    ...[...started, "tool_result", "tool_execution_end"].map((event) => [event, "c/1", "c"]),
  ]);
  expect((seen as unknown[]).at(-1)).toEqual(["tool_execution_end", "c", null]);
  expect(asked).toEqual([
    ["c", "both"],
    ["c/1", "write"],
    ["c/2", "write"],
  ]);
  expect([existsSync(join(project, "allowed.txt")), existsSync(join(project, "refused.txt"))]).toEqual([true, false]);
  const { messages } = agent.core.store.buildSessionContext();
  const results = messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message.content)] : []));
  expect(results).toHaveLength(1);
  expect(JSON.parse(results[0] ?? "")).toEqual({
    outcomes: [
      ["c/1", false, expect.stringMatching(/^seen: /)],
      ["c/2", true, expect.stringContaining("not that")],
      ["c/3", true, expect.stringContaining("path")],
      ["c/4", true, "Tool nothing not found"],
    ],
    tools: true,
  });
});

test("a tool that is not offered cannot be called by another one", async () => {
  const { agent, project } = await startBench({
    files: { ".hookline/extensions/caller.ts": CALLER },
    trust: true,
    args: ["--tools", "both"],
    replies: [{ toolCalls: [{ id: "c", name: "both", arguments: {} }] }, { text: "done" }],
  });
  await agent.prompt("Do both");
  expect(existsSync(join(project, "allowed.txt"))).toBe(false);
});
