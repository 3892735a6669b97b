import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import { isCompressed } from "@hookline/runtime/past";
import { createHookRuntime, recorderOf } from "@hookline/runtime/session";
import { expect, onTestFinished, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { cleanRecordings } from "../../src/record/clean.ts";
import { compressLeft } from "../../src/record/compress.ts";
import { RecordingFile } from "../../src/record/file.ts";
import { acquireLock } from "../../src/session/lock.ts";
import { follow } from "../inspect/follow.ts";
import { linesOf, session } from "../inspect/recorded.ts";
import { served } from "../inspect/served.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "compress-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function isSmall(path: string): boolean {
  const fd = openSync(path, "r");
  try {
    return isCompressed(fd);
  } finally {
    closeSync(fd);
  }
}

/** Records a session with so many calls into a file that is compressed at the end. */
async function record(path: string, calls: number, from = 0): Promise<void> {
  const file = new RecordingFile(path, {
    level: "decisions",
    sessionFile: undefined,
    compresses: true,
    failing: (problem) => expect.fail(problem),
  });
  const recorder = recorderOf({
    to: () => file,
    level: "decisions",
    env: {},
    files: systemFiles,
    clock: systemClock,
    lost: (problem) => expect.fail(problem),
  });
  const opened = await createHookRuntime({ home: NO_HOME }).open({ scene: { sessionId: "s", cwd: "/" }, recorder });
  for (let i = from; i < from + calls; i++)
    await opened.emit("tool.before", {
      toolCallId: `c${i}`,
      tool: "bash",
      args: { command: `${"x".repeat(400)}${i}` },
    });
  await opened.close();
  await recorder.close();
}

async function callsIn(path: string): Promise<unknown[]> {
  const reader = readRecording(path);
  const calls: unknown[] = [];
  for await (const { payload } of reader.moments()) calls.push((payload as { toolCallId: string }).toolCallId);
  expect(reader.skipped).toEqual({ unreadable: 0, torn: false });
  expect(reader.isWhole).toBe(true);
  reader.close();
  return calls;
}

const named = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `c${from + i}`);

test("a recording is compressed when its session ends, goes on when the session does, and is read as before", async () => {
  const path = join(scratch(), "s.jsonl");
  await record(path, 200);
  expect(isSmall(path)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(path).size).toBeLessThan(16_384);
  expect(await callsIn(path)).toEqual(named(0, 200));
  await record(path, 100, 200);
  expect(isSmall(path)).toBe(true);
  expect(await callsIn(path)).toEqual(named(0, 300));
});

test("a short recording stays lines", async () => {
  const path = join(scratch(), "s.jsonl");
  await record(path, 5);
  expect(isSmall(path)).toBe(false);
  expect(readFileSync(path, "utf8")).toContain('"tool.before"');
  expect(await callsIn(path)).toEqual(named(0, 5));
});

test("what a killed run left is compressed by a later one, keeps its time, and what somebody writes is left alone", async () => {
  const folder = scratch();
  const [left, own, others] = ["left", "own", "others"].map((name) => join(folder, `${name}.jsonl`)) as [
    string,
    string,
    string,
  ];
  const text = linesOf([...session(200)], false).join("");
  for (const path of [left, own, others]) writeFileSync(path, `${text}{"torn`);
  utimesSync(left, 1_700_000_000, 1_700_000_000);
  const lock = acquireLock(own);
  const program = `
    import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, "../../src/session/lock.ts"))};
    acquireLock(${JSON.stringify(others)});
    console.log("locked");
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--conditions=hookline-source", "--input-type=module", "-e", program], {
    cwd: join(import.meta.dirname, "../.."),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  compressLeft(folder);
  expect([left, own, others].map(isSmall)).toEqual([true, false, false]);
  expect(statSync(left).mtimeMs).toBe(1_700_000_000_000);
  const reader = readRecording(left);
  let moments = 0;
  for await (const _ of reader.moments()) moments += 1;
  expect([moments, reader.skipped]).toEqual([200, { unreadable: 0, torn: true }]);
  reader.close();
  if (lock.state === "locked") lock.lock.release();
  // It is removed as any other one that is too old.
  cleanRecordings(folder, { days: 30, bytes: 1e9 });
  expect(() => statSync(left)).toThrow("ENOENT");
});

test("the page follows a recording to its end and reads it anew when it was compressed", async () => {
  const folder = scratch();
  const path = join(folder, "s-1.jsonl");
  writeFileSync(path, linesOf([...session(200)], true).join(""));
  const server = await (await served([path])).indexed();
  const stream = follow(server, 198);
  expect(await stream.next()).toMatchObject({ kind: "moments", total: 200 });
  const before = (await server.get("/api/sources/ID/moments/150")).json;
  compressLeft(folder);
  expect(isSmall(path)).toBe(true);
  for (;;) if ((await stream.next()).kind === "gone") break;
  stream.end();
  await server.indexed();
  expect((await server.get("/api/sources/ID/summary")).json).toMatchObject({ moments: 200, damaged: 0, torn: false });
  expect((await server.get("/api/sources/ID/moments/150")).json).toEqual(before);
});
