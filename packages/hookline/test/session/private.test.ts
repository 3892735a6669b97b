import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock, lockFolder } from "../../src/session/lock.ts";
import { openSession, SessionManager } from "../../src/session/session.ts";
import { start } from "./program.ts";
import { linesOf, scratch } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

/** Everything below a folder whose mode grants the group or others anything. */
function loose(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
    .map((name) => `${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`);
}

const version1 = [
  { type: "session", id: "old", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/project" },
  { type: "message", timestamp: "2025-01-01T00:00:00.000Z", message: user("one") },
];

test.each(["000", "022", "077"])("whatever the umask (%s), files and folders are their owner's alone", (mask) => {
  const folder = scratch();
  const before = process.umask(Number.parseInt(mask, 8));
  try {
    const home = join(folder, "home");
    const opened = openSession({ kind: "new" }, { cwd: "/project", home });
    if (opened.state !== "open") throw new Error(opened.state);
    const { session } = opened;
    session.appendMessage(user("one"));
    session.appendMessage(assistant("two"));
    expect(readdirSync(home, { recursive: true })).toHaveLength(5);
    expect(loose(folder)).toEqual([]);
    const path = session.getSessionFile() ?? "";
    session.close();

    writeFileSync(path, '{"torn', { flag: "a" });
    const torn = SessionManager.open(path);
    torn.appendMessage(user("three"));
    SessionManager.forkFrom(path, "/other", join(folder, "forks"));
    torn.createBranchedSession(torn.getLeafId() ?? "");
    torn.close();
    expect(loose(folder)).toEqual([]);

    const old = join(folder, "home", "old.jsonl");
    writeFileSync(old, version1.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o644 });
    SessionManager.open(old);
    expect(loose(folder)).toEqual([]);
  } finally {
    process.umask(before);
  }
});

test("files and folders of hookline's home that are looser are tightened", () => {
  const folder = scratch();
  const session = SessionManager.create("/project", join(folder, "mine"));
  session.appendMessage(assistant("one"));
  session.close();
  const path = session.getSessionFile() ?? "";
  chmodSync(path, 0o644);
  writeFileSync(`${path}.bak`, "", { mode: 0o644 });
  chmodSync(`${path}.bak`, 0o644);
  writeFileSync(path, '{"torn', { flag: "a" });
  SessionManager.open(path).appendMessage(user("two"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(`${path}.bak`).mode & 0o777).toBe(0o600);

  const home = join(folder, "home");
  mkdirSync(join(home, "sessions", "--project--"), { recursive: true, mode: 0o755 });
  openSession({ kind: "new" }, { cwd: "/project", home });
  expect(loose(join(home))).toEqual([]);
});

test.each(["folder", "file"])("a %s that a link in hookline's home leads to keeps its rights", (kind) => {
  const [home, target] = [join(scratch(), "home"), join(scratch(), "target")];
  mkdirSync(home);
  if (kind === "folder") mkdirSync(target);
  else writeFileSync(target, "");
  chmodSync(target, 0o755);
  symlinkSync(target, join(home, "sessions"));
  try {
    openSession({ kind: "new" }, { cwd: "/project", home });
  } catch {
    // Nothing can be kept in what is no folder.
  }
  expect(statSync(target).mode & 0o777).toBe(0o755);
});

test("a lock's folder that others may look into is made private when the lock is taken", () => {
  const path = join(scratch(), "s.jsonl");
  mkdirSync(lockFolder(path));
  chmodSync(lockFolder(path), 0o755);
  const result = acquireLock(path);
  expect(statSync(lockFolder(path)).mode & 0o777).toBe(0o700);
  if (result.state === "locked") result.lock.release();
});

test("a folder that the user named keeps its mode", () => {
  const folder = scratch();
  chmodSync(folder, 0o755);
  const session = SessionManager.create("/project", folder);
  session.appendMessage(assistant("one"));
  expect(statSync(folder).mode & 0o777).toBe(0o755);
});

test("nothing is written through a symbolic link that appears after the session was opened", () => {
  const folder = scratch();
  const victim = join(folder, "victim");
  writeFileSync(victim, "precious");
  const path = join(folder, "s.jsonl");
  const reports: string[] = [];
  const session = SessionManager.open(path, undefined, undefined, {
    onStorage: ({ message }) => reports.push(message),
  });
  symlinkSync(victim, path);
  session.appendMessage(assistant("one"));
  expect(statSync(victim).size).toBe(8);
  expect(reports).toHaveLength(1);

  const aside = join(folder, "t.jsonl");
  writeFileSync(
    aside,
    `${JSON.stringify({ type: "session", version: 3, id: "t", timestamp: "", cwd: "/project" })}\n{"torn`,
  );
  symlinkSync(victim, `${aside}.bak`);
  SessionManager.open(aside).appendMessage(assistant("one"));
  expect(statSync(victim).size).toBe(8);
});

const NOBODY = 65534;

test.runIf(process.platform !== "win32")(
  "a session that may not be written is read, kept in memory and caught up later",
  async () => {
    const root = process.getuid?.() === 0;
    const folder = scratch();
    chmodSync(folder, 0o755);
    const own = join(folder, "own");
    const session = SessionManager.create("/project", own);
    session.appendMessage(assistant("one"));
    session.close();
    const path = session.getSessionFile() ?? "";
    if (root) for (const each of [own, path]) chownSync(each, NOBODY, NOBODY);
    const program = start("denied", [path], root ? { uid: NOBODY, gid: NOBODY } : {});
    expect(JSON.parse(await program.ended)).toEqual({
      unreadable: { state: "refused", path, problem: expect.stringContaining("EACCES") },
      inMemory: 3,
      flushed: true,
      reports: ["failing EACCES 1", "recovered"],
    });
    expect(
      linesOf(path)
        .map((line) => line.message?.content)
        .slice(2),
    ).toEqual(["kept in memory", "this too", "written"]);
  },
);
