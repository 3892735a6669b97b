import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Bench, call, codes, model } from "./kit.ts";

/** The seed's own examples, character for character. */
const sample = (name: string): string => readFileSync(join(import.meta.dirname, "fixtures", name), "utf8");

/** Whether Python is installed, with which two of the seed's scripts read their input. */
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("the seed's examples", () => {
  it("[jcli.config.1][jcli.config.2][jcli.config.3] its hooks.yaml loads whole, and lints say that session_start only tells and a script is not there", async () => {
    const bench = new Bench();
    bench.user(sample("hooks.yaml"));
    const { candidates, diagnostics } = await bench.discover();
    expect(candidates.map(({ state, events, filter, timeoutMs }) => [state, events, filter, timeoutMs])).toEqual([
      ["runs", ["pre_send_message"], undefined, 5000],
      ["runs", ["session_start"], undefined, 10_000],
      ["runs", ["pre_tool_execution"], "tool_matcher=Bash|Shell", 30_000],
    ]);
    expect(codes(diagnostics)).toEqual(["LINT", "LINT", "LINT"]);
    const told = diagnostics.map(({ message }) => message).join();
    expect(told).toContain("the answer (inject_messages) is ignored");
    expect(told).toMatch(/the script \S+inject_time\.py is not there/);
    const session = await bench.open({ llm: model("{}") });
    expect((await session.emit("session.start", { reason: "startup" })).answer).toEqual({});
    expect(bench.diagnostics.some(({ code }) => code === "HOOK_ODD_ANSWER")).toBe(true);
  });

  it("[jcli.example.1] the reviewer of replies sends one with a secret back", async () => {
    const bench = new Bench();
    bench.user(sample("reviewer.yaml"));
    const llm = model('There is a key.\n{"action":"stop","retry_feedback":"leave the key out"}');
    const session = await bench.open({ llm });
    const outcome = await session.emit("model.response", { text: "the key is 123" });
    expect(outcome.answer).toEqual({ stop: true, feedback: "leave the key out" });
    expect(llm.calls[0]?.prompt).toContain("the key is 123");
    expect(session.hooks()[0]?.hook).toMatchObject({ retry: 1, onError: "skip" });
    expect(llm.calls[0]).toMatchObject({ timeoutMs: 30_000 });
  });

  it("[jcli.example.2] the reviewer of messages asks its own model and stops one", async () => {
    const bench = new Bench();
    bench.user(sample("message-review.yaml"));
    const llm = model('{"action":"stop","retry_feedback":"be polite"}');
    const outcome = await (await bench.open({ llm })).emit("prompt.before", { text: "you fool" });
    expect(outcome.answer).toEqual({ stop: true, feedback: "be polite" });
    expect(llm.calls[0]).toMatchObject({ model: "gpt-4o-mini", timeoutMs: 15_000 });
  });

  it.skipIf(!hasPython)(
    "[jcli.example.3] the script that stamps messages does, and its broken JSON for a quote leaves the message as it was",
    async () => {
      const bench = new Bench();
      const script = bench.write("home/stamp.sh", sample("timestamp.sh"), 0o755);
      bench.user(`pre_send_message:\n  - command: ${script}\n`);
      const session = await bench.open();
      const { answer } = await session.emit("prompt.before", { text: "hello" });
      expect(answer.text).toMatch(/^\[\d\d:\d\d\] hello$/);
      const quoted = await session.emit("prompt.before", { text: 'say "hi"' });
      expect(quoted.answer).toEqual({});
      expect(codes(quoted.diagnostics)).toEqual(["HOOK_BAD_ANSWER", "FAILED_OPEN"]);
    },
  );

  it.skipIf(!hasPython)(
    "[jcli.example.4] the script that skips dangerous commands guards hookline's shell",
    async () => {
      const bench = new Bench();
      const script = bench.write("home/skip.sh", sample("skip-dangerous.sh"), 0o755);
      bench.user(`pre_tool_execution:\n  - command: ${script}\n`);
      const session = await bench.open();
      expect((await session.emit("tool.before", call({ command: "rm -rf /" }))).answer).toMatchObject({
        decision: "deny",
      });
      expect((await session.emit("tool.before", call({ command: "ls" }))).answer).toEqual({});
      expect((await session.emit("tool.before", call({ path: "rm -rf" }, "read"))).answer).toEqual({});
    },
  );

  it("[jcli.example.5] the review of tool calls judges the shell and nothing else", async () => {
    const bench = new Bench();
    bench.user(sample("call-review.yaml"));
    const llm = model('{"action":"skip"}');
    const session = await bench.open({ llm });
    expect((await session.emit("tool.before", call({ path: "x" }, "read"))).answer).toEqual({});
    expect(llm.calls).toEqual([]);
    expect((await session.emit("tool.before", call({ command: "rm" }))).answer).toMatchObject({ decision: "deny" });
    expect(llm.calls[0]?.prompt).toContain('工具=Bash, 参数={"command":"rm"}');
    expect(session.hooks()[0]?.hook.metrics).toMatchObject({ runs: 1, skipped: 1 });
  });
});
