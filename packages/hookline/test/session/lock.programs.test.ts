import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemProcesses } from "../../../ground/src/process/owner.ts";
import { acquireLock, type LockResult, lockFolder, lockOwner } from "../../src/session/lock.ts";
import { openSession, SessionManager } from "../../src/session/session.ts";
import { start } from "./program.ts";
import { linesOf, scratch } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

function locked(result: LockResult) {
  if (result.state !== "locked") throw new Error(JSON.stringify(result));
  return result.lock;
}

function stored(folder: string): string {
  const session = SessionManager.create("/project", folder);
  session.appendMessage(assistant("one"));
  session.close();
  return session.getSessionFile() ?? "";
}

/** Puts a claim into a lock that looks like another process's. */
function plant(path: string, owner: { pid: number; started: string; boot: string }): void {
  mkdirSync(lockFolder(path), { recursive: true });
  writeFileSync(join(lockFolder(path), [owner.pid, owner.started, owner.boot, "abcdef"].join(".")), "");
}

test("a lock is there while it is held, and leaves nothing behind", () => {
  const path = join(scratch(), "s.jsonl");
  expect(lockOwner(path)).toBeUndefined();
  const lock = locked(acquireLock(path));
  expect(lockOwner(path)).toEqual(systemProcesses.self());
  lock.release();
  lock.release();
  expect(existsSync(lockFolder(path))).toBe(false);
});

test("one process may claim a session several times; the last release gives it up", () => {
  const path = join(scratch(), "s.jsonl");
  const first = locked(acquireLock(path));
  const second = locked(acquireLock(path));
  first.release();
  first.release();
  expect(lockOwner(path)?.pid).toBe(process.pid);
  second.release();
  expect(lockOwner(path)).toBeUndefined();
});

test("a second process is told who holds the session, and may have it after that", async () => {
  const path = stored(scratch());
  const first = start("hold", [path, "first"]);
  const { pid } = JSON.parse(await first.line());
  const second = start("hold", [path, "second"]);
  expect(JSON.parse(await second.ended)).toEqual({ state: "held", path, owner: expect.objectContaining({ pid }) });
  expect(openSession({ kind: "file", path }, { cwd: "/project" })).toMatchObject({ state: "held", owner: { pid } });

  first.child.stdin.write("end\n");
  await first.ended;
  const third = start("hold", [path, "third"]);
  expect(JSON.parse(await third.line()).state).toBe("open");
  expect(linesOf(path).map((line) => line.data)).toEqual([undefined, undefined, "first", "third"]);
});

test("the lock of a killed process is taken over at once", async () => {
  const path = stored(scratch());
  const first = start("hold", [path, "first"]);
  await first.line();
  first.child.kill("SIGKILL");
  await first.ended;
  expect(readdirSync(lockFolder(path))).toHaveLength(1);
  const opened = openSession({ kind: "file", path }, { cwd: "/project" });
  expect(opened.state).toBe("open");
  if (opened.state === "open") opened.session.close();
  expect(existsSync(lockFolder(path))).toBe(false);
});

test("an extension's append to a session of another process is refused, reading it is not", async () => {
  const path = stored(scratch());
  const first = start("hold", [path, "first"]);
  const { pid } = JSON.parse(await first.line());
  const session = SessionManager.open(path);
  expect(session.getEntries()).toHaveLength(2);
  expect(() => session.appendMessage(user("two"))).toThrow(
    `Session file ${path} is being written by process ${pid}. End that one, or fork the session.`,
  );
  expect(session.getEntries()).toHaveLength(2);
  expect(linesOf(path)).toHaveLength(3);
});

test.runIf(systemProcesses.self().boot !== "")("a process id that was given to another process holds nothing", () => {
  const path = join(scratch(), "s.jsonl");
  plant(path, { ...systemProcesses.self(), started: "1" });
  locked(acquireLock(path)).release();
  plant(path, { ...systemProcesses.self(), boot: "00000000-0000-0000-0000-000000000000" });
  locked(acquireLock(path)).release();
  expect(existsSync(lockFolder(path))).toBe(false);
});

test.runIf(existsSync("/proc/self/stat"))("a process that ended but is not buried yet holds nothing", async () => {
  // The shell becomes a program that never asks how its child ended; the child ends when it has.
  const child = "until grep -q sleep /proc/$$/comm; do sleep 0.05; done";
  const parent = spawn("sh", ["-c", `(${child}) & echo $!; exec sleep 600`], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [printed] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(printed.toString());
  const fields = (): string[] => (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "").split(" ");
  await vi.waitUntil(() => fields()[0] === "Z", { timeout: 120_000 });
  const path = join(scratch(), "s.jsonl");
  plant(path, { ...systemProcesses.self(), pid, started: fields()[19] ?? "" });
  locked(acquireLock(path)).release();
});

test("what is asked about others decides whether a lock is held", () => {
  const self = { pid: 7, started: "7", boot: "b" };
  const path = join(scratch(), "s.jsonl");
  plant(path, { pid: 9, started: "9", boot: "b" });
  const result = acquireLock(path, { self: () => self, alive: (owner) => owner.pid !== 9 });
  locked(result).release();
  expect(acquireLock(path, { self: () => self, alive: () => true }).state).toBe("locked");
});

test("what else lies in a lock's folder is left alone and holds nothing", () => {
  const path = join(scratch(), "s.jsonl");
  mkdirSync(lockFolder(path));
  writeFileSync(join(lockFolder(path), "notes.txt"), "hello");
  locked(acquireLock(path)).release();
  expect(readFileSync(join(lockFolder(path), "notes.txt"), "utf8")).toBe("hello");
});

test("a lock is never made through a symbolic link", () => {
  const folder = scratch();
  const path = join(folder, "s.jsonl");
  mkdirSync(join(folder, "elsewhere"));
  symlinkSync(join(folder, "elsewhere"), lockFolder(path));
  expect(acquireLock(path).state).toBe("failed");
  expect(readdirSync(join(folder, "elsewhere"))).toEqual([]);
});

test("if a lock cannot be made, the session works without one", () => {
  const path = stored(scratch());
  writeFileSync(lockFolder(path), "somebody's file");
  const session = SessionManager.open(path);
  session.appendMessage(user("two"));
  session.close();
  expect(linesOf(path)).toHaveLength(3);
  expect(readFileSync(lockFolder(path), "utf8")).toBe("somebody's file");
});

test("of processes that compete for a lock, never two hold it", async () => {
  const path = join(scratch(), "s.jsonl");
  const programs = Array.from({ length: 4 }, () => start("compete", [path, "40"]));
  const outcomes = (await Promise.all(programs.map(({ ended }) => ended))).map((text) => JSON.parse(text));
  expect(outcomes.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(outcomes.reduce((sum, { won }) => sum + won, 0)).toBeGreaterThan(0);
  expect(existsSync(lockFolder(path))).toBe(false);
});
