import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transcripts } from "@hookline/integrations/transcripts";
import { safeParse } from "valibot";
import { expect, onTestFinished, test } from "vitest";
import { momentSchema, shadowSchema } from "../../../../scripts/recording-schema.ts";
import { dialects } from "../../../integrations/src/index.ts";
import type { RecognisedSource } from "../../src/past.ts";
import type { RecordLevel } from "../../src/record/line.ts";
import { type RecordedMoment, readRecording } from "../../src/record/read.ts";
import type { RecordSink } from "../../src/record/sink.ts";
import { recogniseSource, replay } from "../../src/replay/index.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import type { HookSession } from "../../src/session/session.ts";
import { bytesOf, momentOf, momentsOf, recordingOf } from "./memory.ts";

const CALL = { toolCallId: "c1", tool: "bash", args: { command: "rm -rf build" } };
const SECRET = "plum-4711-canary";

/** Refuses what removes something, in its own good time. */
const GUARD = `export default (pi) => pi.on("tool_call", async ({ input }) => {
  await new Promise((resolve) => setTimeout(resolve, 30));
  return String(input.command).includes("rm") ? { block: true, reason: "would remove " + input.command } : undefined;
});
`;

interface Opened {
  readonly session: HookSession;
  readonly text: () => string;
  readonly path: string;
  /** Ends the session, and reads what was recorded. */
  moments(): Promise<RecordedMoment[]>;
}

/** A session that is recorded, with a module whose hooks are in shadow. */
async function inShadow(module: string, level: RecordLevel = "decisions"): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "recorded-shadow-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "shadow.ts");
  writeFileSync(path, module);
  let text = "";
  const record: RecordSink = { level, write: (line) => void (text += line), flush: async () => {} };
  const runtime = createHookRuntime({ home: folder, dialects, record });
  const scene = { sessionId: "s", cwd: folder };
  const session = await runtime.open({ scene, explicit: [path], settings: { shadow: [path] } });
  const moments = async (): Promise<RecordedMoment[]> => {
    await runtime.close();
    return momentsOf(readRecording(bytesOf(Buffer.from(text))));
  };
  return { session, text: () => text, path, moments };
}

/** The lines behind the moments, as they stand in the file. */
function shadowLines(text: string): readonly Record<string, unknown>[] {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines.filter((line) => "shadow" in line);
}

test("what a hook in shadow says stands at its moment and decides nothing, however late it comes", async () => {
  const { session, moments, text, path } = await inShadow(GUARD);
  session.on("tool.before", function edits() {
    return { args: { command: "rm -r build" } };
  });
  await session.emit("tool.before", CALL);
  await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
  const [call, turn] = await moments();
  expect(call?.outcome).toEqual({ args: { command: "rm -r build" } });
  expect(call?.edits).toHaveLength(1);
  const shadow = call?.hooks.filter(({ shadow }) => shadow);
  expect(shadow).toMatchObject([
    {
      id: `pi:${path}#tool_call[0]`,
      lane: "pi",
      pass: 1,
      status: "answered",
      // It was asked about the final call.
      answer: { block: true, reason: "would remove rm -r build" },
      would: "deny",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      ms: expect.any(Number),
    },
  ]);
  expect(turn?.hooks).toEqual([]);
  const { line: _, at: __, header: ___, ...moment } = call as RecordedMoment;
  expect(safeParse(momentSchema(), moment).issues).toBeUndefined();
  const [line, ...more] = shadowLines(text());
  expect(more).toEqual([]);
  expect(line).toEqual({ v: 2, n: 1, shadow: expect.anything() });
  expect(safeParse(shadowSchema(), line?.["shadow"]).issues).toBeUndefined();
});

test("a moment without other hooks has it, so do a filter that misses and a failure, and the log has digests", async () => {
  const module = `export default (pi) => {
    pi.on("tool_call", () => { throw new Error("broken"); });
    pi.on("turn_start", () => {});
  };\n`;
  const { session, moments } = await inShadow(module);
  await session.emit("tool.before", CALL);
  await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
  expect((await moments()).map(({ hooks }) => hooks)).toMatchObject([
    [{ status: "failed", problem: "broken", would: "deny", shadow: true }],
    [{ status: "no-answer", shadow: true }],
  ]);
  const log = await inShadow(GUARD, "log");
  await log.session.emit("tool.before", CALL);
  const [call] = await log.moments();
  expect(call?.hooks).toMatchObject([{ status: "answered", would: "deny", answer: { digest: expect.any(String) } }]);
  expect(log.text()).not.toContain("build");
});

test.each(["decisions", "all", "log"] as const)(
  "what is redacted later is in no answer, at level %s",
  async (level) => {
    const quotes = `export default (pi) => {
    const quote = ({ content, message, text }) => { throw new Error("I saw " + JSON.stringify(content ?? message ?? text)); };
    for (const event of ["tool_result", "message_end", "input"]) pi.on(event, quote);
  };\n`;
    const { session, moments, text } = await inShadow(quotes, level);
    const scrub = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(SECRET, "***"));
    session.on("message.end", ({ message }) => ({ message: scrub(message) }));
    const content = [{ type: "text" as const, text: SECRET }];
    await session.emit("input", { text: SECRET, source: "interactive" });
    await session.emit("tool.after", { ...CALL, content, details: {}, isError: false, blocked: false });
    // It answers while the moment waits for what may still redact it.
    await session.shadowsSettled();
    for (const role of ["user", "toolResult"] as const)
      await session.emit("message.end", { message: { role, content, toolCallId: "c1", timestamp: 0 } as never });
    const all = await moments();
    if (level !== "log") expect(all.flatMap(({ hooks }) => hooks.filter(({ shadow }) => shadow)).length).toBe(4);
    expect(text()).not.toContain(SECRET);
  },
);

test("moments whose answer never came are read in their order, and a later header begins to count anew", async () => {
  const hooks = [{ id: "h", lane: "pi", source: "/h", pass: 1, status: "asked", shadow: true }] as const;
  const part = recordingOf(Array.from({ length: 600 }, (_, i) => momentOf({ i }, { hooks }))).toString();
  const answer = (n: number): string => `${JSON.stringify({ v: 2, n, shadow: { id: "h", status: "no-answer" } })}\n`;
  const others = `${JSON.stringify({ v: 2, n: 1, shadow: { id: "nobody", status: "failed" } })}\n`;
  const bytes = Buffer.from(`${part}${answer(600)}${answer(600)}${others}${recordingOf([momentOf({ i: 600 })])}`);
  const reader = readRecording(bytesOf(bytes));
  const all = await momentsOf(reader);
  expect(all.map(({ payload }) => (payload as { i: number }).i)).toEqual(Array.from({ length: 601 }, (_, i) => i));
  expect(all.filter(({ hooks }) => hooks[0]?.status === "no-answer").map(({ n }) => n)).toEqual([600]);
  expect(reader.skipped).toEqual({ unreadable: 0, torn: false });
});

test("a replay tells what the recorded hooks in shadow would have done, and decides by none of it", async () => {
  const { session, moments, text, path } = await inShadow(GUARD);
  for (const command of ["ls", "rm a", "rm b"]) await session.emit("tool.before", { ...CALL, args: { command } });
  await moments();
  const file = path.replace("shadow.ts", "recording.jsonl");
  writeFileSync(file, text());
  const runtime = createHookRuntime({ home: dirname(path), dialects: [] });
  onTestFinished(() => runtime.close());
  const result = await replay({
    sources: [recogniseSource(file, transcripts) as RecognisedSource],
    lanes: runtime.lanes,
    cwd: "/",
    candidate: (parts) => runtime.open(parts),
  });
  expect(result).toMatchObject({ baseline: "recorded", moments: 3, same: 3, notJudged: {} });
  const lines = text().split("\n");
  const lineOf = (command: string): number => lines.findIndex((line) => line.includes(`"command":"${command}"`)) + 1;
  expect(result.shadow).toEqual([
    {
      hook: `pi:${path}#tool_call[0]`,
      asked: 3,
      wouldDeny: 2,
      wouldAsk: 0,
      wouldEdit: 0,
      failed: 0,
      examples: [`s1:${lineOf("rm a")}`, `s1:${lineOf("rm b")}`],
    },
  ]);
});
