import { existsSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "@hookline/runtime";
import type { ToolResultMessage } from "@hookline/runtime/engine";
import { expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { sentTo, startBench } from "../agent/bench.ts";

const resultsOf = ({ core }: Agent): ToolResultMessage[] =>
  core.store.buildSessionContext().messages.filter((message) => message.role === "toolResult");
const textsOf = (agent: Agent): string[] => resultsOf(agent).map(({ content }) => textOf(content));
const write = (path: string) => ({ name: "write", arguments: { path, content: "x" } });

test("calls of a reply that was cut off at its length fail without running", async () => {
  const { agent, hooks, project } = await startBench({
    replies: [{ toolCalls: [write("a"), write("b")], stopReason: "length" }, { text: "sorry" }],
  });
  const judged: string[] = [];
  hooks.on("tool.before", ({ toolCallId }) => {
    judged.push(toolCallId);
    return undefined;
  });
  await agent.prompt("Write");
  expect(judged).toEqual([]);
  expect(textsOf(agent)).toEqual([expect.stringMatching(/cut off/), expect.stringMatching(/cut off/)]);
  expect(existsSync(join(project, "a"))).toBe(false);
});

test("arguments that are no JSON never reach a guard, whatever hooks make of the message", async () => {
  const { agent, hooks } = await startBench({
    replies: [{ toolCalls: [{ name: "ls", argumentsRaw: '{"path": "' }] }, { text: "ok" }],
  });
  let judged = false;
  hooks.on("message.end", ({ message }) => ({ message: JSON.parse(JSON.stringify(message)) }));
  hooks.on("tool.before", () => {
    judged = true;
    return undefined;
  });
  await agent.prompt("List");
  expect(judged).toBe(false);
  expect(textsOf(agent)[0]).toMatch(/not valid JSON/);
});

test("a refusal of the rest also refuses the calls that were let through before it", async () => {
  const { agent, hooks, project } = await startBench({
    replies: [{ toolCalls: [write("a"), write("b"), write("c")] }, { text: "ok" }],
  });
  hooks.on("tool.before", ({ args }) =>
    args["path"] === "b" ? { decision: "deny", reason: "stop here", rest: "refuse" } : undefined,
  );
  await agent.prompt("Write");
  expect(textsOf(agent)).toEqual(["stop here", "stop here", "stop here"]);
  expect(existsSync(join(project, "a"))).toBe(false);
});

test("an edited call is checked against the schema again, and a violation does not run", async () => {
  const { agent, hooks } = await startBench({ replies: [{ toolCalls: [write("a")] }, { text: "ok" }] });
  hooks.on("tool.before", () => ({ args: { path: "a" } }));
  await agent.prompt("Write");
  expect(textsOf(agent)[0]).toMatch(/the changed call cannot run: the arguments do not fit the tool "write"/);
});

test("asking the person is a refusal if nobody can be asked, otherwise a dialog", async () => {
  const replies = [{ toolCalls: [write("a")] }, { text: "ok" }];
  const silent = await startBench({ replies });
  const resolved: unknown[] = [];
  silent.hooks.on("tool.before", () => ({ decision: "ask", reason: "sure?" }));
  silent.hooks.on("approval.resolved", (event) => {
    resolved.push(event);
    return undefined;
  });
  await silent.agent.prompt("Write");
  expect(textsOf(silent.agent)).toEqual(["sure?"]);
  expect(resolved).toMatchObject([{ approved: false, reason: "no interactive UI available" }]);

  const shown: string[] = [];
  const asked = await startBench({
    replies,
    mode: "rpc",
    ui: {
      confirm: async (title, message) => {
        shown.push(title, message);
        return true;
      },
    },
  });
  asked.hooks.on("tool.before", ({ args }) => ({ decision: "ask", args: { ...args, path: "other" } }));
  await asked.agent.prompt("Write");
  expect(existsSync(join(asked.project, "other"))).toBe(true);
  expect(shown[0]).toBe("Run write?");
  // The person sees what would run, not what the model wrote.
  expect(shown[1]).toContain("other");
});

const ender = `
export default function (pi) {
  pi.registerTool({
    name: "finish",
    description: "ends the run",
    parameters: { type: "object", properties: {} },
    async execute() {
      return { content: [{ type: "text", text: "finished" }], terminate: true };
    },
  });
}
`;

test("a run ends without another request when every result of a reply asks for it", async () => {
  const { agent, server } = await startBench({
    files: { ".pi/extensions/finish.ts": ender },
    replies: [
      { toolCalls: [{ name: "finish" }, { name: "ls" }] },
      { toolCalls: [{ name: "finish" }] },
      { text: "never asked" },
    ],
  });
  await agent.prompt("Finish");
  expect(server.requests).toHaveLength(2);
});

test("images of a prompt and of a tool reach the model", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const { agent, server } = await startBench({ replies: [{ text: "a dot" }] });
  await agent.prompt("What is it?", { images: [{ type: "image", data: png, mimeType: "image/png" }] });
  const { content } = server.requests[0]?.body.messages.at(-1) ?? {};
  expect(JSON.stringify(content)).toContain("What is it?");
  expect(agent.core.store.buildSessionContext().messages[0]).toMatchObject({
    content: [{ type: "text" }, { type: "image", data: png }],
  });
});

test("a model and a level that are selected in a run take effect with the next request", async () => {
  const { agent, hooks, server } = await startBench({
    reasoning: true,
    replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }],
  });
  const other = agent.registry.find("loop", "other");
  hooks.on("tool.before", async () => {
    await agent.services.models?.set({ ...(other ?? agent.core.model) });
    agent.services.models?.setThinkingLevel("high");
    return undefined;
  });
  await agent.prompt("Begin");
  expect(server.requests.map(({ body }) => body.model)).toEqual(["model", "other"]);
  expect(server.requests.map(({ body }) => body.reasoning_effort)).toEqual(["medium", "high"]);
  const { store } = agent.core;
  expect(store.getEntries().map(({ type }) => type)).toContain("thinking_level_change");
});

test("a request without its results is never sent, even if a hook removes them", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
  hooks.on("model.context", ({ messages }) => ({ messages: messages.filter(({ role }) => role !== "toolResult") }));
  await agent.prompt("Begin");
  expect(sentTo(server, 1).at(-1)).toMatch(/^tool: The run was interrupted/);
});

test("hooks and clients are told how long a tool ran, and of none that did not run", async () => {
  const nap = { name: "bash", id: "ran", arguments: { command: "sleep 0.1" } };
  const bench = await startBench({
    replies: [
      { toolCalls: [nap, { ...write("a"), id: "refused" }, { name: "none", id: "unknown" }] },
      { text: "done" },
    ],
  });
  const told: [string, string, number | undefined][] = [];
  const hear = (event: "tool.after" | "tool.end"): void => {
    bench.hooks.on(event, ({ toolCallId, durationMs }) => {
      told.push([event, toolCallId, durationMs]);
      return undefined;
    });
  };
  hear("tool.after");
  hear("tool.end");
  bench.hooks.on("tool.before", ({ tool }) => (tool === "write" ? { decision: "deny", reason: "no" } : undefined));
  await bench.agent.prompt("Go");
  for (const event of bench.events)
    if (event.type === "tool_execution_end") told.push([event.type, event.toolCallId, event.durationMs]);
  const times = told.filter(([, id]) => id === "ran").map(([event, , ms]) => [event, (ms ?? 0) >= 90]);
  expect(times).toEqual([
    ["tool.after", true],
    ["tool.end", true],
    ["tool_execution_end", true],
  ]);
  const others = told.filter(([, id]) => id !== "ran");
  expect(others.map(([event, id]) => `${event} ${id}`).sort()).toEqual([
    "tool.after refused",
    "tool.end refused",
    "tool.end unknown",
    "tool_execution_end refused",
    "tool_execution_end unknown",
  ]);
  expect(others.filter(([, , ms]) => ms !== undefined)).toEqual([]);
});
