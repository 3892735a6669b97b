import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Bench, has } from "./bench.ts";

const tool = (name: string, type: string) => ({ name, description: "", parameters: {}, type }) as any;
const request: any = { model: { id: "m", provider: "p" }, systemPrompt: "", messages: [], tools: [], temperature: 0.7 };

describe.skipIf(!has("jq") || !has("python3"))("the plugins that the seed prints", () => {
  test("logger writes each event that it registered for to its log [chibi.sample.1, chibi.sample.2, chibi.seed004.logger, chibi.use.1]", async () => {
    const bench = new Bench();
    bench.sample("logger");
    const { session } = await bench.open();
    expect(session.report.sources).toMatchObject([
      { state: "runs", events: ["on_start", "on_end", "pre_message", "post_message"] },
    ]);
    await session.emit("session.start", { reason: "startup" });
    expect((await session.emit("prompt.before", { text: "hello" })).answer).toEqual({});
    await session.emit("reply.final", { prompt: "hello", finalPrompt: "hello", reply: "hi" });
    await session.emit("session.end", { reason: "quit" });
    const log = bench.read("home/.chibi/hook.log");
    expect(log.match(/\] \w+/g)).toEqual(["] on_start", "] pre_message", "] post_message", "] on_end"]);
    expect(log).toContain('"response": "hi"');
  });

  test("context_injector puts the time before the prompt [chibi.seed004.context-injector, chibi.use.7]", async () => {
    const bench = new Bench();
    bench.sample("context_injector");
    const { session } = await bench.open();
    const { answer } = await session.emit("prompt.before", { text: "what ünicode?" });
    expect(answer.text).toMatch(/^\[\d{4}-\d\d-\d\dT[^\]]+\]\nwhat ünicode\?$/);
  });

  test("safety_guard blocks rm -rf in hookline's own shell and allows other commands [chibi.seed004.safety-guard, chibi.use.6]", async () => {
    const bench = new Bench();
    bench.sample("safety_guard");
    const { session } = await bench.open();
    const call = (command: string) => ({ toolCallId: "1", tool: "bash", args: { command } });
    expect((await session.emit("tool.before", call("rm -rf x"))).answer).toEqual({
      decision: "deny",
      reason: "Blocked: rm -rf commands are not allowed",
    });
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({});
    const read = { toolCallId: "2", tool: "read", args: { path: "rm -rf" } };
    expect((await session.emit("tool.before", read)).answer).toEqual({});
  });

  test.each([
    ["safe", { include: ["update_todos", "update_goals"] }],
    ["default", { exclude: ["file_head", "file_tail", "file_lines", "file_grep"] }],
  ])("tool_filter in the context %s [chibi.seed004.tool-filter, chibi.use.8]", async (context, filter) => {
    const bench = new Bench();
    bench.sample("tool_filter");
    const { session } = await bench.open({ scene: { context } });
    expect((await session.emit("tools.select", { tools: [tool("file_head", "file")] })).answer).toEqual(filter);
  });

  test.each([
    ["coding", 0.1],
    ["creative", 1.2],
    ["default", undefined],
  ])("temp_override in the context %s [chibi.seed004.temp-override, chibi.use.9]", async (context, temperature) => {
    const bench = new Bench();
    bench.sample("temp_override");
    const { session } = await bench.open({ scene: { context } });
    expect((await session.emit("model.request", { request })).answer.request?.temperature).toBe(temperature);
  });

  test("all of them load together, each as a tool too [chibi.tools.7, chibi.sample.1]", async () => {
    const bench = new Bench();
    const all = ["context_injector", "logger", "safety_guard", "temp_override", "tool_filter"];
    for (const name of all) bench.sample(name);
    const { session, diagnostics } = await bench.open();
    expect(session.report.sources.map(({ path }) => path)).toEqual(all.map((name) => join(bench.plugins, name)));
    expect([...session.contributions.all("tool").keys()]).toEqual(all);
    expect(diagnostics).toEqual([]);
  });
});
