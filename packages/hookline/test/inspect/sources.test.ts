import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Comparison, Summary } from "../../src/inspect/api.ts";
import { folderForTest, GUARD, moment, writeRecording } from "./recorded.ts";
import { type Served, served } from "./served.ts";

const write = (folder: string, name: string, lines: readonly object[]): string => {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
};

async function summaryOf(server: Served): Promise<Summary> {
  return (await server.get("/api/sources/ID/summary")).json;
}

const TRACE = {
  v: 1,
  t: 5000,
  session: "s-9",
  event: "tool.before",
  lane: ["pi"],
  pass: 1,
  call: "a".repeat(64),
  hooks: [{ id: GUARD, lane: "pi", source: "/g.ts:1", pass: 1, status: "answered", ms: 2, answer: { block: true } }],
  edits: [],
  outcome: { decision: "deny", reason: { type: "string", chars: 8, digest: "00000000" } },
  diagnostics: [{ code: "X", message: "y" }],
  ms: 2,
};

describe("a source", () => {
  test("that is a trace shows its moments, and says what to switch on for the rest", async () => {
    const folder = folderForTest();
    const skipped = { ...TRACE.hooks[0], status: "skipped", ms: 0, answer: undefined };
    const path = write(folder, "t.jsonl", [TRACE, { ...TRACE, hooks: [skipped], outcome: {} }, { v: 7 }]);
    const server = await served([path]);
    const summary = await summaryOf(server);
    expect(summary).toMatchObject({ moments: 2, damaged: 1, damage: [{ line: 3 }], source: { kind: "trace" } });
    expect(summary.views.conversation).toMatchObject({ state: "empty" });
    expect(summary.views.conversation.because).toContain("--record");
    expect(summary.decisions).toEqual({ deny: 1 });
    expect(summary.source).not.toHaveProperty("agent");
    const first = (await server.get("/api/sources/ID/moments/1")).json;
    expect(first.moment).toMatchObject({ diagnostics: TRACE.diagnostics, hooks: TRACE.hooks });
    expect(first.missing.join(" ")).toContain("no payloads");
    expect(first.related.map(({ n }: { n: number }) => n)).toEqual([1, 2]);
    const second = (await server.get("/api/sources/ID/moments/2")).json;
    expect(second.moment.hooks[0].why).toContain("its filter does not match");
  });

  test("of an agent behind the bridge names it, whether it is a trace or a recording", async () => {
    const trace = write(folderForTest(), "t.jsonl", [{ ...TRACE, host: "codex" }]);
    expect((await summaryOf(await served([trace]))).source).toMatchObject({ kind: "trace", agent: "codex" });
    const recording = writeRecording(folderForTest(), [moment("tool.before")]);
    const [header = "", ...rest] = readFileSync(recording, "utf8").split("\n");
    writeFileSync(recording, [JSON.stringify({ ...JSON.parse(header), host: "gemini" }), ...rest].join("\n"));
    expect((await summaryOf(await served([recording]))).source).toMatchObject({ kind: "recording", agent: "gemini" });
  });

  test("that is a session shows prompts, calls, results and requests with the messages of each", async () => {
    const entry = (id: number, message: object): object => {
      const timestamp = "2026-01-01T00:00:00.000Z";
      return { type: "message", id: `e${id}`, parentId: id === 1 ? null : `e${id - 1}`, timestamp, message };
    };
    const call = { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } };
    const path = write(folderForTest(), "session.jsonl", [
      { type: "session", version: 3, id: "s-7", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/work" },
      entry(1, { role: "user", content: [{ type: "text", text: "list" }], timestamp: 1 }),
      entry(2, { role: "assistant", content: [call], model: "m", stopReason: "toolUse", timestamp: 2 }),
      entry(3, {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "bash",
        content: [{ type: "text", text: "a b" }],
        isError: false,
        timestamp: 3,
      }),
      entry(4, {
        role: "assistant",
        content: [{ type: "text", text: "done" }],
        model: "m",
        stopReason: "stop",
        timestamp: 4,
      }),
    ]);
    const server = await served([path]);
    const summary = await summaryOf(server);
    expect(summary.source).toMatchObject({ kind: "session", session: "s-7" });
    expect(summary.views.hooks.state).toBe("empty");
    expect(summary.events).toMatchObject({ "tool.before": 1, "tool.after": 1, "model.context": 2 });
    const { items } = (await server.get("/api/sources/ID/moments")).json;
    const last = items.findLast(({ event }: { event: string }) => event === "model.context");
    const { parts } = (await server.get(`/api/sources/ID/conversation/${last.n}`)).json;
    expect(parts.map(({ role, kind }: { role: string; kind: string }) => `${role} ${kind}`)).toEqual([
      "user text",
      "assistant call",
      "tool result",
    ]);
    const before = items.find(({ event }: { event: string }) => event === "tool.before");
    expect((await server.get(`/api/sources/ID/moments/${before.n}`)).json).toMatchObject({
      line: 3,
      moment: { payload: { tool: "bash", args: { command: "ls" } } },
    });
  });

  test("that is a replay's result shows the moments that differ", async () => {
    const judged = { moment: "s1:4", source: "/r.jsonl", line: 4, t: 1, event: "tool.before" };
    const sides = { hooks: { before: [], after: [{ hook: GUARD, lane: "pi", status: "answered", ms: 1 }] } };
    const path = write(folderForTest(), "out.jsonl", [
      { v: 1, kind: "replay" },
      { ...judged, class: "same", before: { decision: "allow" }, after: { decision: "allow" }, hooks: {}, edits: {} },
      {
        ...judged,
        class: "newlyDenied",
        hook: GUARD,
        before: { decision: "allow" },
        after: { decision: "deny", reason: "no" },
        ...sides,
      },
      { v: 1, end: true, result: {} },
    ]);
    // A moment that could not be judged has one side, and comes behind those that differ.
    const unjudged = write(folderForTest(), "unjudged.jsonl", [
      { v: 1, kind: "replay" },
      {
        ...judged,
        class: "notJudged",
        why: "not-started",
        before: { decision: "allow" },
        after: { decision: "allow" },
      },
      { ...judged, class: "newlyDenied", before: { decision: "allow" }, after: { decision: "deny" } },
    ]);
    const partly: Comparison = (await (await served([unjudged])).get("/api/sources/ID/replay")).json;
    expect(partly.items.map(({ differs, after }) => [differs[0], after?.decision])).toEqual([
      ["newlyDenied", "deny"],
      ["notJudged", undefined],
    ]);
    const server = await served([path]);
    expect((await summaryOf(server)).views).toMatchObject({ replay: { state: "full" }, timeline: { state: "empty" } });
    const compared: Comparison = (await server.get("/api/sources/ID/replay")).json;
    expect(compared).toMatchObject({ same: 1, total: 1, counts: { newlyDenied: 1 } });
    expect(compared.items[0]).toMatchObject({
      label: "",
      where: "s1:4 (r.jsonl:4)",
      differs: ["newlyDenied", GUARD],
      before: { decision: "allow" },
      after: { decision: "deny", reason: "no", hooks: [{ id: GUARD, status: "answered" }] },
    });
    expect((await server.get("/api/sources/ID/moments")).status).toBe(404);
  });

  test("of which only decisions were logged says so in each view that lacks something", async () => {
    const folder = folderForTest();
    const header = { v: 2, kind: "recording", at: 0, session: "s", cwd: "/w", hookline: "0", level: "log", t: 1 };
    const path = write(folder, "log.jsonl", [
      header,
      { v: 2, n: 1, t: 2, event: "tool.before", payload: { tool: "bash" } },
    ]);
    const { views, source } = await summaryOf(await served([path]));
    expect(source.level).toBe("log");
    expect(views.conversation.state).toBe("empty");
    expect(views.search.state).toBe("part");
  });
});
