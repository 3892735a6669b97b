import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transcripts } from "@hookline/integrations/transcripts";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Moment } from "../../src/past.ts";
import { RecordingWriter } from "../../src/record/write.ts";
import { recogniseSource } from "../../src/replay/index.ts";
import { firstObjects } from "../../src/replay/source/lines.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-sources-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fixture = (name: string): string => join(import.meta.dirname, "fixtures", `${name}.jsonl`);

let files = 0;
function file(text: string | Uint8Array): string {
  files += 1;
  const path = join(folder, `${files}.jsonl`);
  writeFileSync(path, text);
  return path;
}

interface Read {
  readonly kind: string | undefined;
  readonly moments: readonly Moment[];
  /** By event, those that nobody can be asked about apart. */
  readonly counts: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
}

async function read(path: string): Promise<Read> {
  const source = recogniseSource(path, transcripts);
  const moments: Moment[] = [];
  const counts: Record<string, number> = {};
  const skipped: Record<string, number> = {};
  const skip = (reason: string): number => (skipped[reason] = (skipped[reason] ?? 0) + 1);
  for await (const moment of source?.reader.moments({ path, skip }) ?? []) {
    moments.push(moment);
    const name = moment.notAsked === undefined ? moment.event : `${moment.event} ${moment.notAsked}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return { kind: source?.kind, moments, counts, skipped };
}

const lines = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

describe("files that the programs themselves have written", () => {
  // Two prompts, five replies, four calls of which one was of a tool that is not there.
  const session = {
    "prompt.before": 2,
    "model.context": 5,
    "tool.before": 3,
    "tool.after": 3,
    "tool.before unknown-tool": 1,
    "tool.after unknown-tool": 1,
  };
  test.each(["hookline", "pi", "omp"])("a session of %s", async (kind) => {
    const found = await read(fixture(kind));
    expect(found).toMatchObject({ kind, counts: session, skipped: {} });
    const [call] = found.moments.filter(({ event }) => event === "tool.before");
    expect(call?.payload).toMatchObject({ tool: "bash", args: { command: "cat small.txt" } });
    expect(call?.scene).toEqual({ cwd: "/home/me/project", model: kind === "hookline" ? "script" : "m1" });
    const context = found.moments.findLast(({ event }) => event === "model.context");
    const messages = (context?.payload?.["messages"] ?? []) as { role: string }[];
    expect(messages.map(({ role }) => role)).toEqual(
      "user assistant toolResult toolResult assistant toolResult assistant toolResult assistant user".split(" "),
    );
  });

  test("a rollout of Codex", async () => {
    const { kind, counts, skipped, moments } = await read(fixture("codex"));
    expect({ kind, counts, skipped }).toEqual({
      kind: "codex",
      // Two of the four calls were of tools that this Codex did not have; one of these was a patch of two files.
      counts: {
        "prompt.before": 1,
        "tool.before": 2,
        "tool.after": 2,
        "tool.before unknown-tool": 3,
        "tool.after unknown-tool": 2,
      },
      skipped: {},
    });
    expect(moments[1]?.payload).toMatchObject({ tool: "bash", args: { command: "cat small.txt" } });
    const after = moments.filter(({ event }) => event === "tool.after");
    expect(after.map(({ payload }) => payload?.["isError"])).toEqual([false, true, true, true]);
    const patched = moments.filter(({ payload }) => String(payload?.["toolCallId"]).startsWith("call_2_0"));
    expect(patched.map(({ event, payload }) => [event, payload?.["toolCallId"], payload?.["tool"]])).toEqual([
      ["tool.before", "call_2_0#1", "write"],
      ["tool.before", "call_2_0#2", "edit"],
      ["tool.after", "call_2_0", "apply_patch"],
    ]);
    expect(patched.slice(0, 2).map(({ payload }) => payload?.["args"])).toMatchObject([
      { path: "new.txt" },
      { path: "small.txt" },
    ]);
  });

  test("a transcript of Claude Code", async () => {
    const { kind, counts, skipped, moments } = await read(fixture("claude"));
    expect({ kind, counts, skipped }).toEqual({
      kind: "claude",
      // A local command, what the program put there and a sub-agent's task were typed by nobody.
      counts: {
        "prompt.before": 2,
        "tool.before": 6,
        "tool.after": 6,
        "tool.before unknown-tool": 1,
        "tool.after unknown-tool": 1,
      },
      skipped: { "unknown-type brand-new": 1 },
    });
    const calls = moments.filter(({ event }) => event === "tool.before").map(({ payload }) => payload);
    expect(calls.slice(0, 2)).toMatchObject([
      { tool: "bash", args: { command: "ls build", timeout: 5 } },
      { tool: "read", args: { path: "/home/me/project/a.txt", limit: 5 } },
    ]);
    expect(calls[4]).toMatchObject({ tool: "edit", args: { edits: [{ oldText: "a", newText: "b" }] } });
  });
});

describe("sessions", () => {
  const header = { type: "session", version: 3, id: "s", timestamp: "2026-11-20T10:00:00.000Z", cwd: "/p" };
  const entry = (id: string, parentId: string | null, message: object) => ({
    type: "message",
    id,
    parentId,
    timestamp: "2026-11-20T10:00:01.000Z",
    message,
  });
  const user = (text: string) => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
  const reply = (text: string) => ({ role: "assistant", content: [{ type: "text", text }], model: "m", timestamp: 2 });

  test("each branch has its own conversation", async () => {
    const { moments } = await read(
      file(
        lines(
          header,
          entry("a", null, user("one")),
          entry("b", "a", reply("first")),
          // Back to the first prompt, and on from there.
          entry("c", "a", reply("second")),
          entry("d", "b", reply("third")),
        ),
      ),
    );
    const texts = moments
      .filter(({ event }) => event === "model.context")
      .map(({ payload }) =>
        (payload as { messages: { content: any }[] }).messages.map(({ content }) => content[0].text),
      );
    expect(texts).toEqual([["one"], ["one"], ["one", "first"]]);
    expect(
      moments
        .at(-1)
        ?.branch?.entries()
        .map(({ id }) => id),
    ).toEqual(["a", "b"]);
  });

  test("entries of version 1, which have no ids, follow one another", async () => {
    const old = { type: "session", id: "s", timestamp: "2026-11-20T10:00:00.000Z", cwd: "/p" };
    const bare = (message: object) => ({ type: "message", timestamp: "2026-11-20T10:00:01.000Z", message });
    const { kind, moments } = await read(file(lines(old, bare(user("one")), bare(reply("two")), bare(user("three")))));
    expect(kind).toBe("hookline");
    expect(moments.map(({ event }) => event)).toEqual(["prompt.before", "model.context", "prompt.before"]);
    const entries = moments.at(-1)?.branch?.entries() ?? [];
    expect(entries.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["entry-0", null],
      ["entry-1", "entry-0"],
    ]);
  });

  test("calls of a reply that broke off were not run", async () => {
    const call = { type: "toolCall", id: "1", name: "bash", arguments: { command: "ls" } };
    const broken = { role: "assistant", content: [call], model: "m", stopReason: "aborted", timestamp: 2 };
    const { counts } = await read(file(lines(header, entry("a", null, user("x")), entry("b", "a", broken))));
    expect(counts).toEqual({ "prompt.before": 1, "model.context": 1 });
  });

  test("a call without a result is reported, at the latest at the end", async () => {
    const call = (id: string) => ({ type: "toolCall", id, name: "bash", arguments: { command: id } });
    const calling = { role: "assistant", content: [call("1"), call("2")], model: "m", timestamp: 2 };
    const { moments } = await read(file(lines(header, entry("a", null, calling))));
    expect(moments.map(({ event, line, part }) => [event, line, part])).toEqual([
      ["model.context", 2, undefined],
      ["tool.before", 2, 1],
      ["tool.before", 2, 2],
    ]);
  });
});

describe("calls of one reply with results on several lines", () => {
  const known = { "tool.before": 1, "tool.after": 1, "tool.before unknown-tool": 1, "tool.after unknown-tool": 1 };

  test("of Claude Code", async () => {
    const line = (type: string, block: object): object => ({ type, sessionId: "s", message: { content: [block] } });
    const call = (id: string, name: string): object =>
      line("assistant", { type: "tool_use", id, name, input: { command: "ls" } });
    const result = (tool_use_id: string, content: string, is_error: boolean): object =>
      line("user", { type: "tool_result", tool_use_id, content, is_error });
    const missing = "<tool_use_error>Error: No such tool available: Nope</tool_use_error>";
    const text = lines(call("1", "Bash"), call("2", "Nope"), result("1", "a", false), result("2", missing, true));
    expect((await read(file(text))).counts).toEqual(known);
  });

  test("of Codex", async () => {
    const line = (type: string, payload: object): object => ({ timestamp: "2026-01-01", type, payload });
    const item = (payload: object): object => line("response_item", payload);
    const call = (call_id: string, name: string): object =>
      item({ type: "function_call", call_id, name, arguments: '{"cmd":"ls"}' });
    const result = (call_id: string, output: string): object => item({ type: "function_call_output", call_id, output });
    const text = lines(
      line("session_meta", { id: "c" }),
      call("1", "exec_command"),
      call("2", "nope"),
      result("1", "a"),
      result("2", "unsupported call: nope"),
    );
    expect((await read(file(text))).counts).toEqual(known);
  });
});

describe("Claude Code of other versions", () => {
  test.each([
    ["as the first line", []],
    ["behind a line without a folder", [{ type: "file-history-snapshot", messageId: "m" }]],
  ])("a prompt with a large picture %s", (_, before) => {
    const source = { type: "base64", media_type: "image/png", data: "A".repeat(400_000) };
    const message = { role: "user", content: [{ type: "image", source }] };
    const path = file(lines(...before, { type: "user", sessionId: "s", cwd: "/p", message }));
    expect(recogniseSource(path, transcripts)).toMatchObject({ kind: "claude", session: "s", cwd: "/p" });
  });

  let uuids = 0;
  const line = (type: string, more: object): object => ({
    type,
    uuid: `u${++uuids}`,
    sessionId: "s",
    cwd: "/p",
    timestamp: "2026-02-01T10:00:00.000Z",
    ...more,
  });
  const typed = (content: unknown, more: object = {}): object =>
    line("user", { message: { role: "user", content }, ...more });
  const calls = (...ids: string[]): object =>
    line("assistant", {
      message: {
        role: "assistant",
        model: "m",
        content: ids.map((id) => ({ type: "tool_use", id, name: "Bash", input: { command: id } })),
      },
    });
  const done = (id: string): object => typed([{ type: "tool_result", tool_use_id: id, content: "ok" }]);
  const prompts = (moments: readonly Moment[]): unknown[] =>
    moments.filter(({ event }) => event === "prompt.before").map(({ payload }) => payload?.["text"]);

  test("what a person typed while the agent was at work is a prompt, and what other programs sent is none", async () => {
    const queued = (more: object): object => line("attachment", { attachment: { type: "queued_command", ...more } });
    const { moments, skipped } = await read(
      file(
        lines(
          typed("go", { origin: { kind: "human" } }),
          calls("a"),
          queued({ prompt: "and the tests", commandMode: "prompt", origin: { kind: "human" } }),
          queued({ prompt: "<task-notification>over", commandMode: "task-notification" }),
          queued({ prompt: "from elsewhere", commandMode: "prompt", origin: { kind: "channel" } }),
          line("attachment", { attachment: { type: "task_reminder", content: [] } }),
          done("a"),
          typed("<task-notification>over"),
          typed("a task is over", { origin: { kind: "task-notification" } }),
        ),
      ),
    );
    expect(prompts(moments)).toEqual(["go", "and the tests"]);
    expect(moments.map(({ event }) => event)).toEqual(["prompt.before", "tool.before", "prompt.before", "tool.after"]);
    expect(skipped).toEqual({});
  });

  test("a line that is written twice is read once", async () => {
    const [go, call, result] = [typed("go"), calls("a", "b"), done("a")];
    const { counts } = await read(file(lines(go, call, result, go, call, result, done("b"))));
    expect(counts).toEqual({ "prompt.before": 1, "tool.before": 2, "tool.after": 2 });
  });

  test("kinds of lines that hold no moment are passed over, and unknown ones are counted by name, so many at most", async () => {
    const silent = ["file-history-delta", "agent-color", "progress", "cost-state", "bridge-session", "relocated"];
    const known = silent.map((type) => line(type, {}));
    const strange = Array.from({ length: 30 }, (_, n) => line(`kind-${n}`, {}));
    const odd = [line("<script>", {}), { sessionId: "s" }];
    const { skipped, counts } = await read(file(lines(typed("go"), ...known, ...strange, line("kind-0", {}), ...odd)));
    expect(counts).toEqual({ "prompt.before": 1 });
    expect(skipped).toMatchObject({ "unknown-type kind-0": 2, "unknown-type kind-19": 1, "unknown-type": 12 });
    expect(Object.keys(skipped)).toHaveLength(21);
  });

  test("a sub-agent's file has its calls, and its task was typed by nobody", async () => {
    const side = { isSidechain: true, agentId: "x" };
    const ref = { type: "fork-context-ref", agentId: "x", parentSessionId: "s", parentLastUuid: "u" };
    const { kind, counts } = await read(
      file(lines(ref, typed("Look around", side), { ...calls("a"), ...side }, { ...done("a"), ...side })),
    );
    expect({ kind, counts }).toEqual({ kind: "claude", counts: { "tool.before": 1, "tool.after": 1 } });
  });
});

describe("Codex of other years", () => {
  test("items without an envelope", async () => {
    const { kind, moments } = await read(
      file(
        lines(
          { id: "x", timestamp: "2025-06-01T10:00:00.000Z", instructions: null },
          { record_type: "state" },
          { type: "message", role: "user", content: [{ type: "input_text", text: "<environment_context>x" }] },
          { type: "message", role: "user", content: [{ type: "input_text", text: "list" }] },
          {
            type: "function_call",
            name: "shell",
            arguments: '{"command":["bash","-lc","ls | wc"],"workdir":"/p"}',
            call_id: "1",
          },
          { type: "function_call_output", call_id: "1", output: '{"output":"3","metadata":{"exit_code":0}}' },
        ),
      ),
    );
    expect(kind).toBe("codex");
    expect(moments.map(({ event }) => event)).toEqual(["prompt.before", "tool.before", "tool.after"]);
    expect(moments[1]?.payload).toMatchObject({ tool: "bash", args: { command: "ls | wc", workdir: "/p" } });
    expect(moments[2]?.payload).toMatchObject({ content: [{ type: "text", text: "3" }] });
  });

  test("a prompt that is written down in two ways is one, and one that is repeated is two", async () => {
    const meta = { type: "session_meta", timestamp: "2026-01-01T00:00:00Z", payload: { id: "x", cwd: "/p" } };
    const event = (payload: object) => ({ type: "event_msg", timestamp: "2026-01-01T00:00:01Z", payload });
    const typed = event({ type: "user_message", message: "go" });
    const item = event({
      type: "item_completed",
      item: { type: "UserMessage", content: [{ type: "text", text: "go" }] },
    });
    const { counts } = await read(file(lines(meta, typed, item, typed, item)));
    expect(counts).toEqual({ "prompt.before": 2 });
  });
});

describe("hostile files", () => {
  test("bytes of any kind are skipped, whatever kind of file they pretend to be", async () => {
    const heads = ["hookline", "omp", "codex", "claude"].map((name) => readFileSync(fixture(name)).subarray(0, 3000));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...heads),
        fc.uint8Array({ maxLength: 2000 }),
        fc.nat({ max: 3000 }),
        async (head, bytes, cut) => {
          const path = file(Buffer.concat([head.subarray(0, cut), bytes, head.subarray(cut)]));
          const { moments } = await read(path);
          expect(moments.length).toBeLessThan(200);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("values in the place of others throw for no line", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("claude", "codex", "omp", "hookline"),
        fc.nat(),
        fc.array(fc.string(), { maxLength: 3 }),
        fc.jsonValue({ maxDepth: 3 }),
        async (name, nth, way, value) => {
          const all = readFileSync(fixture(name), "utf8").trimEnd().split("\n");
          const at = 1 + (nth % (all.length - 1));
          const line = JSON.parse(all[at] as string) as Record<string, any>;
          let inside: any = line;
          for (const word of way) {
            const names = Object.keys(inside);
            const next = names[word.length % Math.max(1, names.length)];
            if (next === undefined || typeof inside[next] !== "object" || inside[next] === null) break;
            inside = inside[next];
          }
          const [first] = Object.keys(inside);
          if (first !== undefined) inside[first] = value;
          const { moments } = await read(
            file([...all.slice(0, at), JSON.stringify(line), ...all.slice(at + 1)].join("\n")),
          );
          expect(moments.length).toBeLessThanOrEqual(all.length * 2);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("a line that is nested a million deep, or is no object, is counted as unreadable", async () => {
    const deep = `{"type":"message","message":${"[".repeat(1e6)}${"]".repeat(1e6)}}`;
    const whole = readFileSync(fixture("hookline"), "utf8");
    const before = await read(fixture("hookline"));
    const { counts } = await read(file(`${whole}${deep}\n[1]\n"text"\n{"type":\n`));
    expect(counts).toEqual({ ...before.counts, " unreadable-line": 4 });
  });

  test.each(["hookline", "pi", "omp", "codex", "claude"])(
    "a file of %s that is cut anywhere gives what is whole",
    async (name) => {
      const bytes = readFileSync(fixture(name));
      const whole = await read(fixture(name));
      for (let cut = 0; cut < bytes.length; cut += 97) {
        const { moments } = await read(file(bytes.subarray(0, cut)));
        expect(moments.filter(({ notAsked }) => notAsked === "unreadable-line").length).toBeLessThanOrEqual(1);
        expect(moments.length).toBeLessThanOrEqual(whole.moments.length + 1);
      }
    },
  );

  test("a file that is not a source is not recognized as one", () => {
    for (const text of ["", "\n\n", "hello", "[]", '{"a":1}', "{", "\0\0\0"])
      expect(recogniseSource(file(text), transcripts)).toBeUndefined();
  });
});

describe("recordings", () => {
  test("every moment with what was said, and the messages that were complete before it", async () => {
    const out: string[] = [];
    const writer = new RecordingWriter(
      { write: (line) => out.push(line) },
      { session: "s", cwd: "/p", hookline: "0", level: "decisions", t: 1 },
    );
    const said = (event: string, payload: object, more: object = {}) =>
      writer.moment({
        t: 5,
        event,
        scene: { cwd: "/p", model: "m" },
        payload,
        hooks: [],
        edits: [],
        outcome: {},
        ms: 1,
        ...more,
      });
    const message = { role: "user", content: "x".repeat(3000), timestamp: 1 };
    said("message.end", { message });
    said("message.end", { message });
    const hooks = [
      { id: "h", lane: "pi", source: "/h", pass: 1 as const, status: "answered" as const, ms: 2 },
      { id: "quiet", lane: "pi", source: "/q", pass: 1 as const, status: "asked" as const },
      { id: "would", lane: "pi", source: "/w", pass: 1 as const, status: "answered" as const, shadow: true as const },
    ];
    said("tool.before", { toolCallId: "1", tool: "bash", args: {} }, { hooks, outcome: { decision: "deny" } });
    writer.end();
    const { kind, moments } = await read(file(out.join("")));
    expect(kind).toBe("recording");
    expect(moments.map(({ event }) => event)).toEqual(["message.end", "message.end", "tool.before"]);
    const last = moments.at(-1);
    expect(last?.recorded).toMatchObject({ answer: { decision: "deny" }, hooks: [{ hook: "h" }] });
    expect(last?.recorded?.hooks).toHaveLength(1);
    expect(last?.branch?.entries().map(({ message: one }) => one)).toEqual([message, message]);
    expect(moments[1]?.branch?.entries()).toHaveLength(1);
  });
});

test("the first lines of a file are parsed once, however many readers of formats ask about them", () => {
  const [one, other] = ['{"a":1}\n{"b":2}\nno\n{"c"', '{"a":1}\n'].map((text) => Buffer.from(text));
  const objects = firstObjects(one as Buffer);
  expect(objects).toEqual([{ a: 1 }, { b: 2 }]);
  expect(firstObjects(one as Buffer)).toBe(objects);
  expect(firstObjects(other as Buffer)).toEqual([{ a: 1 }]);
});
