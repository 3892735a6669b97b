import { expect, test } from "vitest";
import { sentTo, startBench } from "./bench.ts";

const hooks = (more = "") => ({
  "~/.jdata/agent/hooks.yaml": `pre_tool_execution:\n  - type: llm\n    prompt: "Judge {{tool_name}}"\n${more}`,
});
const wanted = { toolCalls: [{ name: "ls" }] };

test("a judge is asked without history or tools, and its tokens are recorded in the session", async () => {
  const { agent, server } = await startBench({
    files: hooks(),
    replies: [wanted, { text: '{"action":"skip"}', usage: { input: 70, output: 5 } }, { text: "then not" }],
  });
  expect(await agent.prompt("List")).toMatchObject({ kind: "answered", text: "then not" });
  expect(sentTo(server, 1)).toEqual([
    expect.stringMatching(/^system: You are a hook/),
    expect.stringMatching(/^user: Judge/),
  ]);
  expect(server.requests[1]?.body).not.toHaveProperty("tools");
  const noted = agent.core.store.getEntries().filter(({ type }) => type === "usage");
  expect(noted).toMatchObject([{ kind: "judge", provider: "loop", model: "model", usage: { input: 70, output: 5 } }]);
});

test("a judge that fails is asked again, then its policy decides, and the session continues", async () => {
  const broken = { error: { status: 400, message: "no" } };
  const { agent, server } = await startBench({
    files: hooks("    retry: 1\n    on_error: abort\n"),
    replies: [wanted, broken, { text: "no JSON" }, { text: "then not" }],
  });
  expect(await agent.prompt("List")).toMatchObject({ kind: "answered", text: "then not" });
  expect(server.requests).toHaveLength(4);
  expect(sentTo(server, 3).at(-1)).toContain("stopped by hook");
});

test.each([
  ["answers that the prompt is too long", "ls", 1],
  ["is known to have a smaller window", "x".repeat(100_000), 0],
])("a judge whose model %s refuses the call", async (_, path, asked) => {
  const judge = `pre_tool_execution:\n  - type: llm\n    prompt: "${"{{tool_arguments}}".repeat(6)}"\n`;
  const tooLong = { error: { status: 400, message: "prompt is too long: 9 tokens" } };
  const { agent, server } = await startBench({
    files: { "~/.jdata/agent/hooks.yaml": judge },
    replies: [
      { toolCalls: [{ name: "ls", arguments: { path } }] },
      ...(asked === 1 ? [tooLong] : []),
      { text: "then not" },
    ],
  });
  expect(await agent.prompt("List")).toMatchObject({ text: "then not" });
  expect(server.requests).toHaveLength(2 + asked);
  expect(sentTo(server, 1 + asked).at(-1)).toContain("larger than the model's context window");
});
