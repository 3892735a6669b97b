import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { dialects } from "../../../integrations/src/index.ts";
import { catalog, type EventName, type Payload } from "../../src/catalog/catalog.ts";
import { approveEverything } from "../../src/consent/consent.ts";
import type { RecordLevel } from "../../src/record/line.ts";
import { type RecordedMoment, readRecording } from "../../src/record/read.ts";
import type { RecordSink } from "../../src/record/sink.ts";
import { notMatched } from "../../src/run/explain.ts";
import { recorderOf } from "../../src/session/recorder.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import type { HookSession } from "../../src/session/session.ts";
import { samplePayload } from "../../src/testing/sample.ts";
import { bytesOf, momentsOf } from "./memory.ts";

const SECRET = "plum-4711-canary";
const KEY = "sk-provider-key-0123456789";
const CALL = { toolCallId: "c1", tool: "bash", args: { command: "ls" } };

interface Recorded {
  readonly session: HookSession;
  readonly diagnostics: Diagnostic[];
  text(): string;
  /** Ends the session, and reads what was recorded. */
  moments(): Promise<RecordedMoment[]>;
}

async function recorded(level: RecordLevel, more: Partial<RecordSink> = {}): Promise<Recorded> {
  let text = "";
  const diagnostics: Diagnostic[] = [];
  const record: RecordSink = { level, write: (line) => void (text += line), flush: async () => {}, ...more };
  const runtime = createHookRuntime({ home: NO_HOME, env: { OPENAI_API_KEY: KEY }, record });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({
    scene: { sessionId: "s1", cwd: "/work", model: "m", context: "default" },
    services: { ui: { confirm: async () => true } as never },
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
  });
  const moments = async (): Promise<RecordedMoment[]> => {
    await runtime.close();
    return momentsOf(readRecording(bytesOf(Buffer.from(text))));
  };
  return { session, diagnostics, text: () => text, moments };
}

async function emitAll(session: HookSession): Promise<void> {
  for (const name of catalog.keys()) await session.emit(name as EventName, samplePayload(name as EventName) as never);
}

const ALL = [...catalog.keys()];
const BY_TOKEN = ["message.update", "tool.update", "ui.prompt-start", "ui.prompt-end", "model.wire", "model.headers"];

describe("levels", () => {
  test.each([
    ["all", ALL],
    ["decisions", ALL.filter((name) => !BY_TOKEN.includes(name))],
    ["log", ["tool.before"]],
  ] as const)("%s has its events, whether anybody listens or not", async (level, events) => {
    const { session, moments } = await recorded(level);
    await emitAll(session);
    const all = await moments();
    expect(all.map(({ event }) => event)).toEqual(events);
    expect(all.map(({ n }) => n)).toEqual(events.map((_, i) => i + 1));
    for (const name of ALL) expect(session.has(name as EventName)).toBe(level === "all" || !BY_TOKEN.includes(name));
  });

  test("payloads are as the host had them, without its own objects", async () => {
    const { session, moments } = await recorded("decisions");
    await emitAll(session);
    const [start] = (await moments()).filter(({ event }) => event === "agent.before-start");
    expect(start?.payload).toEqual(samplePayload("agent.before-start"));
    const [turn] = (await moments()).filter(({ event }) => event === "turn.end");
    expect(turn?.payload).not.toHaveProperty("context");
    expect([start?.partial, turn?.partial]).toEqual([undefined, undefined]);
  });

  test("a payload that is absent, or has lost its functions, is named", async () => {
    const { session, moments } = await recorded("decisions");
    const promptParts = { options: { cwd: "/work" }, render: () => "" } as never;
    await session.emit("agent.before-start", { prompt: "go", systemPrompt: "", promptParts });
    await session.emit("compact.before", { reason: "manual", signal: new AbortController().signal } as never);
    const all = await moments();
    expect(all.map(({ partial }) => partial)).toEqual([["payload.promptParts"], ["payload.signal"]]);
    expect(all[0]?.payload).toMatchObject({ promptParts: { options: { cwd: "/work" } } });
  });

  test("the log has what was decided in words, and everything else as a digest that needs this home's key", async () => {
    const texts: string[] = [];
    for (let run = 0; run < 2; run++) {
      const { session, moments, text } = await recorded("log");
      session.on("tool.before", function quiet() {});
      session.on("tool.before", function refuses() {
        return { decision: "deny", reason: SECRET };
      });
      session.on("turn.start", function watches() {});
      session.on("prompt.before", ({ text: typed }) => {
        throw new Error(`cannot read ${typed}`);
      });
      session.on("prompt.before", () => ({ title: SECRET }));
      await session.emit("tool.before", { ...CALL, args: { command: SECRET } });
      await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
      await session.emit("prompt.before", { text: SECRET });
      const all = await moments();
      expect(all.map(({ event }) => event)).toEqual(["tool.before", "prompt.before"]);
      expect(all[0]).toMatchObject({
        payload: { tool: "bash" },
        outcome: { decision: "deny" },
        call: expect.any(String),
      });
      expect(all[0]?.hooks.map(({ status }) => status)).toEqual(["no-answer", "answered"]);
      expect(all[1]?.hooks.map(({ status }) => status)).toEqual(["failed", "answered"]);
      expect(text()).not.toContain(SECRET);
      texts.push(JSON.stringify(all[0]?.outcome));
    }
    expect(texts[0]).not.toBe(texts[1]);
  });
});

test("who was asked is told of everybody: guards with their time, silent others without one", async () => {
  const { session, moments } = await recorded("decisions");
  session.on("tool.before", function quiet() {});
  session.on("turn.start", function watches() {});
  session.on("tool.before", function edits() {
    return { args: { command: "pwd" } };
  });
  await session.emit("tool.before", CALL);
  await session.emit("turn.start", { turnIndex: 3, timestamp: 0 });
  await session.emit("agent.start", {});
  const [call, turn, start] = await moments();
  expect(call?.hooks).toMatchObject([
    { status: "no-answer", ms: expect.any(Number), lane: "library", pass: 1 },
    { status: "answered", answer: { args: { command: "pwd" } } },
    // It saw another call than the final one.
    { status: "no-answer", pass: 2 },
  ]);
  expect(call?.edits).toMatchObject([{ field: "args", from: CALL.args, to: { command: "pwd" } }]);
  expect(call?.outcome).toMatchObject({ args: { command: "pwd" } });
  expect(turn?.hooks).toMatchObject([{ status: "asked" }]);
  expect(turn?.hooks[0]).not.toHaveProperty("ms");
  expect([turn?.turn, start?.turn, start?.scene]).toEqual([3, 3, { cwd: "/work", model: "m", context: "default" }]);
});

test("a hook's entry has the hash of the file that defines it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recorder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "guard.ts");
  writeFileSync(file, 'export default (pi) => pi.on("tool_call", () => {});\n');
  let text = "";
  const record: RecordSink = { level: "decisions", write: (line) => void (text += line), flush: async () => {} };
  const runtime = createHookRuntime({ home: folder, dialects, record });
  const session = await runtime.open({ scene: { sessionId: "s", cwd: folder }, explicit: [file] });
  await session.emit("tool.before", CALL);
  await runtime.close();
  const [moment] = await momentsOf(readRecording(bytesOf(Buffer.from(text))));
  expect(moment?.hooks).toMatchObject(
    [{ source: expect.stringContaining(file), hash: /^[0-9a-f]{64}$/ }].map(() => ({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })),
  );
});

test("a hook's entry that was skipped has the filter that kept the event from it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recorder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".jcli"));
  const entries = "  - command: 'true'\n    filter: { tool_name: Write }\n  - command: 'true'\n";
  writeFileSync(join(folder, ".jcli/hooks.yaml"), `pre_tool_execution:\n${entries}`);
  let text = "";
  const record: RecordSink = { level: "decisions", write: (line) => void (text += line), flush: async () => {} };
  const runtime = createHookRuntime({ home: NO_HOME, dialects, record, consent: approveEverything });
  const session = await runtime.open({ scene: { sessionId: "s", cwd: folder } });
  const { others } = session.explain("tool.before", CALL);
  await session.emit("tool.before", CALL);
  await runtime.close();
  const [moment] = await momentsOf(readRecording(bytesOf(Buffer.from(text))));
  expect(moment?.hooks.map(({ status, filter }) => [status, filter])).toEqual([
    ["skipped", "tool_name=Write"],
    ["no-answer", undefined],
  ]);
  // In the words of whoever explains it.
  expect(others[0]?.why).toBe(notMatched(moment?.hooks[0]?.filter));
});

describe("what a person said to ask", () => {
  test("stands at the moment that asked, although it came after later ones", async () => {
    const { session, moments } = await recorded("decisions");
    session.on("tool.before", () => ({ decision: "ask", reason: "sure?" }));
    await session.emit("tool.before", CALL);
    await session.emit("tool.before", { ...CALL, toolCallId: "c2" });
    await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
    session.asked("c2", { answer: "deny", by: "person" });
    session.asked("c1", { answer: "allow", by: "hook" });
    session.asked("c1", { answer: "deny", by: "person" });
    const all = await moments();
    expect(all.map(({ event, asked }) => [event, asked])).toEqual([
      ["tool.before", { answer: "allow", by: "hook" }],
      ["tool.before", { answer: "deny", by: "person" }],
      ["turn.start", undefined],
    ]);
  });

  test("is told by a wrapped call", async () => {
    const { session, moments } = await recorded("log");
    session.on("tool.before", () => ({ decision: "ask" }));
    await session.wrap(CALL, () => "done");
    expect((await moments())[0]).toMatchObject({ asked: { answer: "allow", by: "person" } });
  });
});

describe("secrets", () => {
  const scrub = (text: string): string => text.replaceAll(SECRET, "***");
  const TYPED = { text: `my key is ${SECRET}` };
  const user = { message: { role: "user", content: TYPED.text, timestamp: 0 } } as never;
  const result = {
    ...CALL,
    content: [{ type: "text", text: SECRET }],
    details: {},
    isError: false,
    blocked: false,
  } as const;
  const CLEAN = [{ type: "text" as const, text: "***" }];

  /** Emits a host's events from a typed prompt to a result, each text as earlier hooks have left it. */
  async function run(session: HookSession): Promise<void> {
    const typed = (await session.emit("input", { ...TYPED, source: "interactive" })).answer.text ?? TYPED.text;
    const prompt = (await session.emit("prompt.before", { text: typed })).answer.text ?? typed;
    const message = { role: "user", content: prompt, timestamp: 0 } as never;
    await session.emit("message.start", { message });
    await session.emit("message.end", { message });
    // The host continues with the prompt as it was before the history.
    await session.emit("input.sent", { text: prompt });
    await session.emit("agent.before-start", { prompt, systemPrompt: "" });
    await session.emit("agent.start", {});
    const partial = { content: [{ type: "text", text: SECRET }] };
    await session.emit("tool.before", CALL);
    await session.emit("tool.update", { ...CALL, partial });
    const content = (await session.emit("tool.after", result)).answer.content ?? result.content;
    const text = (content[0] as { text: string }).text;
    await session.emit("tool.output", { ...CALL, output: text, finalOutput: text, cached: false });
    const toolResult = {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "bash",
      content,
      isError: false,
      timestamp: 0,
    };
    await session.emit("message.start", { message: toolResult as never });
    await session.emit("message.end", { message: toolResult as never });
    const reply = (await session.emit("model.response", { text: SECRET })).answer.text ?? SECRET;
    const answer = { role: "assistant", content: [{ type: "text", text: reply }] } as never;
    await session.emit("message.end", { message: answer });
    const stop = samplePayload("agent.stop");
    await session.emit("agent.stop", { ...stop, prompt, reply: "", messages: [] });
    await session.emit("reply.final", { prompt: TYPED.text, finalPrompt: prompt, reply: "" });
    await session.emit("agent.settled", { aborted: false });
  }

  /** Removes the secret wherever it stands in a message. */
  const messageScrubber = ({ message }: Payload<"message.end">) =>
    JSON.stringify(message).includes(SECRET)
      ? { message: JSON.parse(scrub(JSON.stringify(message))) as never }
      : undefined;

  test("without a redactor everything is there", async () => {
    const { session, moments, text } = await recorded("all");
    session.on("message.end", function watches() {});
    await run(session);
    await moments();
    expect(text().split(SECRET).length).toBeGreaterThan(5);
  });

  test.each(["log", "decisions", "all"] as const)("a redactor of results and replies, at level %s", async (level) => {
    const { session, moments, text } = await recorded(level);
    session.on("input", ({ text }) => ({ text: scrub(text) }));
    session.on("tool.after", function half() {
      // One hook leaves text that the next one removes.
      return { content: [{ type: "text", text: `${SECRET} once` }] };
    });
    session.on("tool.after", () => ({ content: CLEAN }));
    session.on("model.response", ({ text }) => ({ text: scrub(text) }));
    await run(session);
    const all = await moments();
    expect(text()).not.toContain(SECRET);
    const after = all.find(({ event }) => event === "tool.after");
    expect(after).toMatchObject({ redacted: ["payload.content", "payload.details"] });
    if (level !== "log") expect(after?.payload).toMatchObject({ content: CLEAN });
    for (const edit of after?.edits ?? []) expect(Object.keys(edit)).not.toContain("from");
  });

  test.each(["log", "decisions", "all"] as const)(
    "a redactor of messages, behind everything that has had the text, at level %s",
    async (level) => {
      const { session, moments, text } = await recorded(level);
      session.on("message.end", messageScrubber);
      await run(session);
      const all = await moments();
      expect(text()).not.toContain(SECRET);
      if (level === "log") return;
      const redacted = all.filter(({ redacted }) => redacted !== undefined).map(({ event }) => event);
      expect(redacted).toContain("prompt.before");
      expect(redacted).toContain("tool.after");
      expect(all.map(({ n }) => n)).toEqual(all.map((_, i) => i + 1));
    },
  );

  test.each(["log", "decisions", "all"] as const)("a redactor of prompts, at level %s", async (level) => {
    const { session, moments, text } = await recorded(level);
    session.on("prompt.before", ({ text }) => ({ text: scrub(text) }));
    session.on("tool.after", () => ({ content: CLEAN }));
    session.on("model.response", () => ({ text: "fine" }));
    await run(session);
    await moments();
    expect(text()).not.toContain(SECRET);
  });

  test.each(["log", "decisions", "all"] as const)(
    "a redactor that fails and quotes what it could not read, at level %s",
    async (level) => {
      const { session, moments, text } = await recorded(level);
      const breaks = (): never => {
        throw new Error(`cannot read "${SECRET}"`);
      };
      for (const event of ["input", "tool.after", "model.response", "message.end"] as const)
        session.on(event, breaks, { redact: true });
      await session.emit("input", { ...TYPED, source: "interactive" });
      await session.emit("message.end", user);
      await session.emit("tool.after", result);
      await session.emit("model.response", { text: SECRET });
      expect((await moments()).length).toBe(4);
      expect(text()).not.toContain(SECRET);
    },
  );

  test("keys of providers and values of headers are nowhere, wherever they come from", async () => {
    const { session, moments, text } = await recorded("all");
    const headers = { Authorization: `Bearer ${SECRET}`, "x-api-key": SECRET };
    session.on("model.headers", () => ({ headers: { Cookie: SECRET } }));
    session.on("tool.before", () => ({ reason: `key ${KEY}`, args: { [KEY]: KEY.repeat(100) } }));
    session.on("turn.start", () => {
      throw new Error(KEY);
    });
    await session.emit("model.headers", { headers });
    await session.emit("model.responded", { status: 200, headers: { "Set-Cookie": SECRET } });
    await session.emit("tool.before", CALL);
    await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
    const [sent] = await moments();
    expect(sent?.payload).toEqual({ headers: { Authorization: "", "x-api-key": "" } });
    expect(text()).not.toContain(SECRET);
    expect(text()).not.toContain(KEY);
    expect(text()).toContain("[OPENAI_API_KEY]");
  });
});

test("another level begins a new recording, and only then; what was recorded before stays as it was", async () => {
  const recordings: { text: string; isKept: boolean }[] = [];
  const recorder = recorderOf({
    level: "log",
    to: () => {
      const recording = { text: "", isKept: false };
      recordings.push(recording);
      const write = (line: string): void => void (recording.text += line);
      return { level: "log", write, flush: async () => void (recording.isKept = true) };
    },
    ...{ env: {}, files: systemFiles, clock: systemClock, lost: (problem: string) => expect.fail(problem) },
  });
  const runtime = createHookRuntime({ home: NO_HOME });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s1", cwd: "/work" }, recorder });
  const call = (command: string) =>
    session.emit("tool.before", { toolCallId: command, tool: "bash", args: { command } });
  recorder.change({ level: "decisions", required: false });
  await call("first");
  recorder.change({ level: "decisions", required: true });
  await call("second");
  recorder.change({ level: "log", required: true });
  await call("third");
  await recorder.close();
  const said = recordings.map(({ text }) => text.match(/"level":"[a-z]+"|"command":"[a-z]+"|"end":true/g));
  expect(said).toEqual([
    ['"level":"decisions"', '"command":"first"', '"command":"second"', '"end":true'],
    ['"level":"log"', '"end":true'],
  ]);
  expect(recordings.every(({ isKept }) => isKept)).toBe(true);
});

describe("where what is decided must be on record", () => {
  const open = async (required: boolean, write: (line: string) => void) => {
    const told: Diagnostic[] = [];
    const sink: RecordSink = { level: "log", write, flush: async () => {} };
    const [files, clock] = [systemFiles, systemClock];
    const recorder = recorderOf({ level: "log", to: sink, required, env: {}, files, clock, lost: () => {} });
    const runtime = createHookRuntime({ home: NO_HOME });
    onTestFinished(() => runtime.close());
    const scene = { sessionId: "s1", cwd: "/work" };
    const session = await runtime.open({ scene, recorder, onDiagnostic: (one) => void told.push(one) });
    return { session, told };
  };
  const full = (): never => {
    throw new Error("disk full");
  };

  test.each(["nobody", "a guard that allows", "a guard that edits"])(
    "a call is refused that cannot be, whoever listens: %s",
    async (who) => {
      const { session, told } = await open(true, full);
      if (who !== "nobody")
        session.on("tool.before", () => (who.endsWith("edits") ? { args: { command: "pwd" } } : undefined));
      let ran = 0;
      const wrapped = await session.wrap(CALL, () => `ran ${++ran}`);
      expect({ ran, wrapped }).toMatchObject({ ran: 0, wrapped: { isError: true, blocked: true } });
      expect(JSON.stringify(wrapped.content)).toContain("cannot be recorded: disk full");
      const { answer, diagnostics } = await session.emit("tool.before", { ...CALL, toolCallId: "c2" });
      expect(answer).toMatchObject({ decision: "deny", reason: expect.stringContaining("cannot be recorded") });
      expect(diagnostics.map(({ code }) => code)).toContain("NOT_ON_RECORD");
      expect(told.map(({ code }) => code)).toContain("NOT_ON_RECORD");
      // An event that is not a guard's continues.
      expect((await session.emit("turn.start", { turnIndex: 0, timestamp: 0 })).answer).toEqual({});
    },
  );

  test("a sub-agent's call is refused too, and a denial stays the guard's own where it can be", async () => {
    const { session } = await open(true, full);
    const within = session.within({ sessionId: "s1", cwd: "/work", agentId: "a1" });
    expect((await within.emit("tool.before", CALL)).answer).toMatchObject({ decision: "deny" });
    const fine = await open(true, () => {});
    fine.session.on("tool.before", () => ({ decision: "deny", reason: "no" }));
    expect((await fine.session.emit("tool.before", CALL)).answer).toMatchObject({ decision: "deny", reason: "no" });
  });

  test("where it need not be, the same call runs", async () => {
    const { session, told } = await open(false, full);
    expect(await session.wrap(CALL, () => "ran")).toMatchObject({ isError: false });
    expect(told).toEqual([]);
  });
});

describe("a sink", () => {
  test("that throws is reported once and gets nothing more", async () => {
    let lines = 0;
    const { session, diagnostics } = await recorded("decisions", {
      write() {
        lines += 1;
        if (lines === 3) throw new Error("disk full");
      },
    });
    for (let i = 0; i < 5; i++) await session.emit("turn.start", { turnIndex: i, timestamp: 0 });
    expect(lines).toBe(3);
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["LISTENER_THREW", "A listener for the recording failed: disk full"],
    ]);
  });

  test("of several sessions of a runtime tells them apart", async () => {
    let text = "";
    const record: RecordSink = { level: "decisions", write: (line) => void (text += line), flush: async () => {} };
    const runtime = createHookRuntime({ home: NO_HOME, record });
    const [a, b] = [
      await runtime.open({ scene: { sessionId: "a", cwd: "/a" } }),
      await runtime.open({ scene: { sessionId: "b", cwd: "/b" } }),
    ];
    for (const session of [a, b, a]) await session.emit("agent.start", {});
    await runtime.close();
    const reader = readRecording(bytesOf(Buffer.from(text)));
    expect((await momentsOf(reader)).map(({ scene }) => scene)).toEqual([
      { cwd: "/a" },
      { cwd: "/b", session: "b" },
      { cwd: "/a" },
    ]);
    expect(reader.isWhole).toBe(true);
  });

  test("gets a moment whose payload has no JSON without its payload", async () => {
    const { session, moments, diagnostics } = await recorded("decisions");
    await session.emit("agent.end", { messages: [{ role: "user", content: 1n }] as never });
    await session.emit("agent.start", {});
    expect((await moments()).map(({ event, payload }) => [event, payload])).toEqual([
      ["agent.end", undefined],
      ["agent.start", {}],
    ]);
    expect(diagnostics).toEqual([]);
  });
});
