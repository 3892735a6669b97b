import { execFileSync } from "node:child_process";
import { existsSync, fstatSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Disk, systemDisk } from "../../src/session/file.ts";
import { SessionManager } from "../../src/session/session.ts";
import type { StorageReport } from "../../src/session/storage.ts";
import { start } from "./program.ts";
import { linesOf, scratch, unsynced } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

const failure = (code: string) => Object.assign(new Error(`${code}: made by the test`), { code });

/** A disk with so many bytes left, and then as many as it is given. */
function smallDisk(left: number) {
  const disk = {
    ...unsynced,
    left,
    write(fd: number, bytes: Buffer): number {
      if (disk.left === 0) throw failure("ENOSPC");
      const count = writeSync(fd, bytes, 0, Math.min(bytes.length, disk.left));
      disk.left -= count;
      return count;
    },
  };
  return disk;
}

function started(folder: string, disk: Disk, more: object = {}) {
  const reports: StorageReport[] = [];
  const session = SessionManager.create(
    "/project",
    folder,
    {},
    { disk, onStorage: (report) => reports.push(report), ...more },
  );
  return { session, reports, path: () => session.getSessionFile() ?? "" };
}

const states = (reports: readonly StorageReport[]) =>
  reports.map((report) => (report.state === "failing" ? `${report.step} ${report.code}` : report.state));

test("wherever a write falls short the file stays whole, and everything is there once there is space", async () => {
  const folder = scratch();
  const probe = started(folder, smallDisk(Number.POSITIVE_INFINITY));
  probe.session.appendMessage(user("one"));
  probe.session.appendMessage(assistant("two"));
  const size = readFileSync(probe.path()).length;
  for (let left = 0; left < size + 50; left++) {
    const disk = smallDisk(left);
    const { session, reports, path } = started(folder, disk);
    session.appendMessage(user("one"));
    session.appendMessage(assistant("two"));
    session.appendMessage(user("three"));
    if (existsSync(path()) && readFileSync(path()).length > 0) expect(() => linesOf(path())).not.toThrow();
    expect(session.buildSessionContext().messages).toHaveLength(3);
    expect(await session.flush()).toBe(false);
    expect(states(reports)).toEqual(["write ENOSPC"]);

    disk.left = Number.POSITIVE_INFINITY;
    session.appendMessage(assistant("four"));
    expect(states(reports)).toEqual(["write ENOSPC", "recovered"]);
    expect(await session.flush()).toBe(true);
    session.close();
    expect(linesOf(path()).slice(1)).toEqual(JSON.parse(JSON.stringify(session.getEntries())));
  }
});

test("a failed write that cannot be taken back is cut off before the next one", () => {
  const folder = scratch();
  const disk = smallDisk(1000);
  let broken = false;
  const { session, reports, path } = started(folder, {
    ...disk,
    write: (fd, bytes) => disk.write(fd, bytes),
    truncate(fd, size) {
      if (broken) throw failure("EIO");
      disk.truncate(fd, size);
    },
  });
  session.appendMessage(assistant("one"));
  broken = true;
  disk.left = 20;
  session.appendMessage(user("two"));
  expect(readFileSync(path(), "utf8").endsWith("\n")).toBe(false);
  broken = false;
  disk.left = 100_000;
  session.appendMessage(user("three"));
  expect(states(reports)).toEqual(["write EIO", "set-aside", "recovered"]);
  expect(linesOf(path()).map((line) => line.message?.content)).toEqual([
    undefined,
    assistant("one").content,
    "two",
    "three",
  ]);
});

test("an outage is reported once, with its cause and what to do", async () => {
  const disk = smallDisk(10_000);
  const { session, reports, path } = started(scratch(), disk);
  session.appendMessage(assistant("one"));
  disk.left = 0;
  for (const text of ["two", "three", "four"]) session.appendMessage(user(text));
  expect(reports).toEqual([
    {
      state: "failing",
      step: "write",
      path: path(),
      code: "ENOSPC",
      pending: 1,
      message: `Session file ${path()} could not be written (ENOSPC: made by the test). 1 entry is kept in memory; free space on the disk; writing is tried again with the next entry.`,
    },
  ]);
  disk.left = 10_000;
  expect(await session.flush()).toBe(true);
  disk.left = 0;
  session.appendMessage(user("five"));
  expect(states(reports)).toEqual(["write ENOSPC", "recovered", "write ENOSPC"]);
});

test("a sync that fails is told, tried again and no reason to stop writing", async () => {
  let broken = true;
  let synced = 0;
  const disk: Disk = {
    ...systemDisk,
    async syncAside() {
      if (broken) throw failure("EIO");
      synced += 1;
    },
  };
  const { session, reports, path } = started(scratch(), disk);
  session.appendMessage(assistant("one"));
  expect(await session.flush()).toBe(false);
  session.appendMessage(user("two"));
  expect(await session.flush()).toBe(false);
  expect(states(reports)).toEqual(["sync EIO"]);
  expect(linesOf(path())).toHaveLength(3);
  broken = false;
  expect(await session.flush()).toBe(true);
  expect(states(reports)).toEqual(["sync EIO", "recovered"]);
  expect(await session.flush()).toBe(true);
  expect(synced).toBe(1);
});

test("entries are synced at the end of a turn, or each at once", async () => {
  for (const [durability, expected] of [
    ["turn", [0, 0, 1]],
    ["entry", [1, 2, 2]],
  ] as const) {
    let synced = 0;
    const count = () => (synced += 1);
    const disk: Disk = { ...systemDisk, sync: count, syncAside: async () => void count() };
    const { session } = started(scratch(), disk, { durability });
    const counts: number[] = [];
    session.appendMessage(assistant("one"));
    counts.push(synced);
    session.appendMessage(user("two"));
    counts.push(synced);
    await session.flush();
    counts.push(synced);
    expect(counts).toEqual(expected);
  }
});

/** A disk on which a sync takes until it is let go. */
function slowDisk() {
  const waiting: (() => void)[] = [];
  const disk: Disk = { ...systemDisk, syncAside: () => new Promise<void>((done) => waiting.push(done)) };
  return { disk, begun: () => waiting.length, letGo: () => waiting.pop()?.() };
}

test("a flush has written everything when it returns, and resolves when all of it is synced", async () => {
  const { disk, begun, letGo } = slowDisk();
  const { session, reports, path } = started(scratch(), disk);
  session.appendMessage(assistant("one"));
  const done: string[] = [];
  void session.flush().then((isKept) => done.push(`first ${isKept}`));
  expect(begun()).toBe(1);
  session.appendMessage(user("two"));
  expect(linesOf(path())).toHaveLength(3);
  // Lines that were written since need a sync of their own, which begins when the first is over.
  void session.flush().then((isKept) => done.push(`second ${isKept}`));
  void session.flushed.then((isKept) => done.push(`last ${isKept}`));
  expect(begun()).toBe(1);
  letGo();
  await expect.poll(begun).toBe(1);
  expect(done).toEqual(["first true"]);
  letGo();
  await expect.poll(() => done).toEqual(["first true", "second true", "last true"]);
  expect(reports).toEqual([]);
});

test("a session that is closed during a sync syncs what is written, and its file is closed after it", async () => {
  const { disk, letGo } = slowDisk();
  let synced = 0;
  let fd = -1;
  const { session, path } = started(scratch(), {
    ...disk,
    sync(of) {
      synced += 1;
      fd = of;
    },
  });
  session.appendMessage(assistant("one"));
  const flushed = session.flush();
  session.close();
  expect(synced).toBe(1);
  expect(existsSync(`${path()}.lock`)).toBe(false);
  expect(() => fstatSync(fd)).not.toThrow();
  letGo();
  expect(await flushed).toBe(true);
  await expect.poll(() => isOpen(fd)).toBe(false);
});

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}

test("each line is one write that ends in its line break", () => {
  const writes: string[] = [];
  const disk: Disk = {
    ...systemDisk,
    write(fd, bytes) {
      writes.push(bytes.toString("utf8"));
      return systemDisk.write(fd, bytes);
    },
  };
  const { session } = started(scratch(), disk, { eager: true });
  session.appendMessage(user("x".repeat(3_000_000)));
  session.appendMessage(assistant("é\n"));
  expect(writes).toHaveLength(3);
  expect(writes.every((line) => line.indexOf("\n") === line.length - 1)).toBe(true);
});

test("a file that is deleted while its session is open comes back whole", () => {
  const folder = join(scratch(), "sessions");
  const { session, reports, path } = started(folder, systemDisk);
  session.appendMessage(assistant("one"));
  unlinkSync(path());
  session.appendMessage(user("two"));
  expect(linesOf(path())).toHaveLength(3);
  rmSync(folder, { recursive: true });
  session.appendMessage(user("three"));
  expect(linesOf(path())).toHaveLength(4);
  expect(reports).toEqual([]);
  session.close();
  expect(existsSync(`${path()}.lock`)).toBe(false);
});

test("a file that was replaced by another is not written, and this is reported", () => {
  const { session, reports, path } = started(scratch(), systemDisk);
  session.appendMessage(assistant("one"));
  const mine = readFileSync(path());
  unlinkSync(path());
  writeFileSync(path(), "somebody else's");
  session.appendMessage(user("two"));
  expect(readFileSync(path(), "utf8")).toBe("somebody else's");
  expect(states(reports)).toEqual(["open EEXIST"]);
  renameSync(path(), `${path()}.other`);
  session.appendMessage(user("three"));
  expect(states(reports)).toEqual(["open EEXIST", "recovered"]);
  expect(readFileSync(path()).subarray(0, mine.length)).toEqual(mine);
  expect(linesOf(path())).toHaveLength(4);
});

test("a folder that cannot be made keeps the session in memory until it can", async () => {
  const folder = scratch();
  writeFileSync(join(folder, "sessions"), "a file is in the way");
  const { session, reports, path } = started(join(folder, "sessions"), systemDisk);
  session.appendMessage(user("one"));
  session.appendMessage(assistant("two"));
  session.appendMessage(user("three"));
  expect(reports).toMatchObject([{ state: "failing", step: "open" }]);
  expect(session.buildSessionContext().messages).toHaveLength(3);
  unlinkSync(join(folder, "sessions"));
  session.close();
  expect(states(reports).at(-1)).toBe("recovered");
  expect(linesOf(path())).toHaveLength(4);
});

const limits = (() => {
  try {
    execFileSync("prlimit", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

test.runIf(limits)("a limit on the size of files, wherever it falls, costs nothing but time", async () => {
  const { limited, wrong } = JSON.parse(await start("limit", [scratch(), "0", "900", "5"]).ended);
  expect(wrong).toEqual([]);
  expect(limited).toBeGreaterThan(100);
});
