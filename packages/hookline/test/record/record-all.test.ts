import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import { createHookRuntime } from "@hookline/runtime/session";
import { expect, onTestFinished, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import type { Io } from "../../../ground/src/io/io.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { readArguments } from "../../src/start/args.ts";
import type { Place } from "../../src/start/place.ts";
import { type RunRecording, recordingOf } from "../../src/start/recording.ts";

const SESSION = "01a2050e-ffd0-712a-b63a-d2c471287e68";

async function running(argv: readonly string[], settings: object = {}) {
  const hooklineHome = mkdtempSync(join(tmpdir(), "record-all-"));
  onTestFinished(() => rmSync(hooklineHome, { recursive: true, force: true }));
  mkdirSync(hooklineHome, { recursive: true });
  writeFileSync(join(hooklineHome, "settings.json"), JSON.stringify(settings));
  const place = {
    hooklineHome,
    settings: readSettings(hooklineHome, "/", { path: join(hooklineHome, "managed.json"), uid: 0 }),
  };
  const told: string[] = [];
  const recording = await recordingOf(
    readArguments(argv),
    { env: {}, cwd: hooklineHome } as unknown as Io,
    place as Place,
    {
      sessionFile: () => undefined,
      tell: (text) => void told.push(text),
    },
  );
  const runtime = createHookRuntime({ home: NO_HOME, env: {} });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({
    scene: { sessionId: SESSION, cwd: "/work", model: "m", context: "default" },
    recorder: recording.recorder,
  });
  return { recording, session, told };
}

/** Reads a closed recording: its level at each moment, and its events. */
async function read(recording: RunRecording, path: string): Promise<string[]> {
  await recording.close();
  const reader = readRecording(path);
  const all: string[] = [];
  for await (const { event, header } of reader.moments()) all.push(`${header?.level} ${event}`);
  expect(reader.skipped).toEqual({ unreadable: 0, torn: false });
  reader.close();
  return all;
}

test("a session that is not recorded is recorded from when somebody wants it", async () => {
  const { recording, session, told } = await running([]);
  await session.emit("agent.start", {});
  const { path, level } = await recording.at(SESSION);
  expect([level, existsSync(path)]).toEqual([undefined, false]);
  await recording.recordAll(session);
  await session.emit("turn.start", { turnIndex: 0, timestamp: 1 });
  await recording.recordAll(session);
  expect(await recording.at(SESSION)).toEqual({ path, level: "all" });
  await session.emit("agent.settled", { aborted: false });
  expect(await read(recording, path)).toEqual(["all turn.start", "all agent.settled"]);
  expect([recording.exitCode(0), told]).toEqual([0, []]);
});

test("a recording of a lower level continues with everything, in the same file", async () => {
  const { recording, session, told } = await running(["--record"]);
  await session.emit("agent.start", {});
  const { path, level } = await recording.at(SESSION);
  expect(level).toBe("decisions");
  await recording.recordAll(session);
  await session.emit("agent.settled", { aborted: false });
  expect(await read(recording, path)).toEqual(["decisions agent.start", "all agent.settled"]);
  expect([recording.exitCode(0), told]).toEqual([0, []]);
});

test("a moment is recorded as it was, whatever becomes of its payload", async () => {
  const { recording, session } = await running([]);
  const { path } = await recording.at(SESSION);
  await recording.recordAll(session);
  const content: object[] = [];
  const message = { role: "assistant", content, timestamp: 1 };
  await session.emit("message.start", { message } as never);
  content.push({ type: "text", text: "what streams later" });
  await session.emit("message.end", { message } as never);
  await recording.close();
  const reader = readRecording(path);
  const contents: unknown[] = [];
  for await (const { payload } of reader.moments())
    contents.push((payload as { message: typeof message }).message.content);
  reader.close();
  expect(contents).toEqual([[], [{ type: "text", text: "what streams later" }]]);
});
