import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import { expect, onTestFinished, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { cleanRecordings } from "../../src/record/clean.ts";
import { RecordingFile, recordingPath } from "../../src/record/file.ts";
import { openRecording } from "../../src/record/open.ts";
import { recordingWanted, type Wanted } from "../../src/record/wanted.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { readArguments } from "../../src/start/args.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "record-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function wanted(own: object, flag?: string | boolean, project: object = {}): unknown {
  const folder = scratch();
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  for (const [path, settings] of [
    [home, own],
    [join(cwd, ".hookline"), project],
  ] as const) {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "settings.json"), JSON.stringify(settings));
  }
  return recordingWanted(readSettings(home, cwd, { path: join(folder, "none"), uid: 0 }), flag);
}

test("the most that anybody wants is recorded, and hooks that must run are logged", () => {
  expect(wanted({})).toBeUndefined();
  expect(wanted({}, true)).toEqual({ level: "decisions", isRequired: false });
  expect(wanted({ record: "all" }, "decisions")).toEqual({ level: "all", isRequired: false });
  expect(wanted({ record: "off", required: ["~/guard.ts"] })).toEqual({ level: "log", isRequired: false });
  expect(wanted({ decisionLog: "required" })).toEqual({ level: "log", isRequired: true });
  expect(() => wanted({}, "some")).toThrow('--record takes decisions or all, not "some"');
});

test("a project turns recording neither on nor off", () => {
  const project = { record: "all", decisionLog: "required", required: ["./guard.ts"] };
  expect(wanted({}, undefined, project)).toBeUndefined();
  expect(wanted({ record: "decisions" }, undefined, { record: "off" })).toMatchObject({ level: "decisions" });
});

test("a bare --record leaves the prompt behind it alone", () => {
  const { flags, words, problems } = readArguments(["--record", "Say hello", "--record-dir", "logs"]);
  expect([flags["record"], flags["record-dir"], words, problems]).toEqual([true, "logs", ["Say hello"], []]);
  expect(readArguments(["--record=all", "Hi"]).flags["record"]).toBe("all");
  expect(readArguments(["--record", "decisions", "-p", "Hi"]).problems).toEqual([
    "--record takes its value after an equals sign: --record=decisions",
  ]);
  expect(readArguments(["--record", "--", "all"])).toMatchObject({ words: ["all"], problems: [] });
});

test("what a session's id holds leads nowhere else", () => {
  for (const id of ["../../evil", "", ".", "a/b", "x".repeat(500)])
    expect(recordingPath("/r", id)).toMatch(/^\/r\/[0-9a-f]{64}\.jsonl$/);
  expect(recordingPath("/r", "01a2-b")).toBe("/r/01a2-b.jsonl");
});

test("the file and its folder are private, it continues where it ended, and a torn end is reported and skipped", async () => {
  const path = join(scratch(), "recordings", "s.jsonl");
  const told: string[] = [];
  const open = () =>
    new RecordingFile(path, {
      level: "log",
      sessionFile: undefined,
      compresses: false,
      failing: (problem) => told.push(problem),
    });
  const first = open();
  expect(first.place()).toBe(0);
  first.write('{"v":2}\n');
  await first.flush();
  expect([statSync(path).mode & 0o777, statSync(join(path, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
  writeFileSync(path, `${readFileSync(path, "utf8")}{"torn`);
  const second = open();
  expect(second.place()).toBe(14);
  second.write('{"v":3}\n');
  second.keep();
  expect(readFileSync(path, "utf8")).toBe('{"v":2}\n{"v":3}\n');
  await second.flush();
  expect(told).toEqual([expect.stringContaining("ended in the middle of a line")]);
});

test("a disk that takes nothing is reported once, and the run exits with 1", async () => {
  const home = scratch();
  writeFileSync(join(home, "settings.json"), '{ "decisionLog": "required" }');
  // A file in the folder's place.
  writeFileSync(join(home, "recordings"), "");
  const told: string[] = [];
  const settings = readSettings(home, home, { path: join(home, "none"), uid: 0 });
  const recording = openRecording({
    settings,
    hooklineHome: home,
    io: { env: {}, cwd: home } as never,
    wanted: recordingWanted(settings, undefined) as Wanted,
    dir: undefined,
    sessionFile: () => undefined,
    tell: (text) => told.push(text),
  });
  const scene = { sessionId: "s", cwd: home };
  const row = { name: "tool.before", guard: {}, feeds: {}, payload: () => ({}), answer: () => ({}) } as never;
  const outcome = { answer: {}, hooks: [], edits: [], diagnostics: [], notices: [], said: [], ms: 0 };
  const happened = { row, plan: undefined, payload: {}, outcome, scene, session: scene, planOf: () => undefined };
  for (let i = 0; i < 3; i++) expect(recording.recorder.record(happened)).toBeTypeOf("string");
  await recording.recorder.close();
  expect(told).toHaveLength(1);
  expect([recording.exitCode(0), recording.exitCode(3)]).toEqual([1, 3]);
});

test("old recordings, those of sessions that are gone and the oldest of too many bytes are removed whole", () => {
  const folder = scratch();
  const sessionFile = join(folder, "session.jsonl.kept");
  writeFileSync(sessionFile, "");
  const make = (name: string, days: number, header: object, bytes = 0): void => {
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, `${JSON.stringify(header)}\n${"x".repeat(bytes)}`);
    utimesSync(path, Date.now() / 1000 - days * 86_400, Date.now() / 1000 - days * 86_400);
  };
  make("fresh", 0, { sessionFile });
  make("old", 31, { sessionFile });
  make("orphan", 1, { sessionFile: join(folder, "gone.jsonl.x") });
  make("unmounted", 1, { sessionFile: "/no-such-disk/session.jsonl" });
  make("large", 2, {}, 5000);
  cleanRecordings(folder, { days: 30, bytes: 4000 });
  expect(readdirSync(folder).sort()).toEqual(["fresh.jsonl", "session.jsonl.kept", "unmounted.jsonl"]);
});

test.skipIf(process.platform === "win32")(
  "an old recording that cannot be removed does not keep hookline from starting",
  () => {
    const folder = scratch();
    const path = join(folder, "old.jsonl");
    writeFileSync(path, "");
    utimesSync(path, 1, 1);
    chmodSync(folder, 0o555);
    // Root may remove everything, so for once it acts as somebody who may not.
    const asRoot = process.getuid?.() === 0;
    if (asRoot) process.seteuid?.(65_534);
    try {
      cleanRecordings(folder, { days: 30, bytes: 4000 });
    } finally {
      if (asRoot) process.seteuid?.(0);
      chmodSync(folder, 0o700);
    }
    expect(readdirSync(folder)).toEqual(["old.jsonl"]);
  },
);

test("a log stays without its session, which a refused prompt never had; what was said does not", () => {
  const folder = scratch();
  const header = (level: string): string =>
    JSON.stringify({ v: 2, kind: "recording", at: 0, level, sessionFile: join(folder, "never.jsonl.written") });
  writeFileSync(join(folder, "log.jsonl"), `${header("log")}\n${header("log")}\n`);
  writeFileSync(join(folder, "both.jsonl"), `${header("log")}\n${header("decisions")}\n`);
  cleanRecordings(folder, { days: 30, bytes: 4000 });
  expect(readdirSync(folder)).toEqual(["log.jsonl"]);
});

test("what was recorded before kill -9 is read, every whole line of it", async () => {
  const folder = scratch();
  const path = join(folder, "s.jsonl");
  const program = `
    import { RecordingFile } from ${JSON.stringify(join(import.meta.dirname, "../../src/record/file.ts"))};
    import { createRuntime } from "@hookline/runtime";
    import { recorderOf } from "@hookline/runtime/session";
    import { systemClock } from "@hookline/ground";
    import { systemFiles } from "@hookline/ground/system";
    const file = new RecordingFile(${JSON.stringify(path)}, { level: "decisions", sessionFile: undefined, compresses: false, failing() {} });
    const recorder = recorderOf({ to: () => file, level: "decisions", env: {}, files: systemFiles, clock: systemClock, lost: console.error });
    const session = await createRuntime({ home: ${JSON.stringify(NO_HOME)} }).open({ scene: { sessionId: "s", cwd: "/" }, recorder });
    for (let i = 0; i < 50; i++) {
      await session.emit("turn.start", { turnIndex: i, timestamp: 0 });
      await session.emit("tool.before", { toolCallId: "c" + i, tool: "bash", args: { command: "x".repeat(400) + i } });
    }
    process.kill(process.pid, "SIGKILL");
  `;
  // Below the repository, so that the packages' names are found from there, and where no test that reads all files looks.
  const cache = join(import.meta.dirname, "../../../../.cache");
  mkdirSync(cache, { recursive: true });
  const programs = mkdtempSync(join(cache, "killed-"));
  onTestFinished(() => rmSync(programs, { recursive: true, force: true }));
  const run = join(programs, "run.ts");
  writeFileSync(run, program);
  expect(() => execFileSync(process.execPath, ["--conditions=hookline-source", run], { stdio: "pipe" })).toThrow();
  const reader = readRecording(path);
  const events: string[] = [];
  for await (const { event } of reader.moments()) events.push(event);
  reader.close();
  // The guard's decision is on disk before its call runs.
  expect(events.filter((event) => event === "tool.before")).toHaveLength(50);
  expect(reader.skipped).toEqual({ unreadable: 0, torn: false });
  expect(reader.isWhole).toBe(false);
  expect(existsSync(`${path}.bak`)).toBe(false);
});
