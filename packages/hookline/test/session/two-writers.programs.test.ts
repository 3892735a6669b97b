import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockFolder } from "../../src/session/lock.ts";
import { SessionManager } from "../../src/session/session.ts";
import { start } from "./program.ts";
import { linesOf, scratch } from "./scratch.ts";

const header = { type: "session", version: 3, id: "s", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/project" };

test("lines of processes that write at the same time, even without a lock, are never mixed", async () => {
  const path = join(scratch(), "s.jsonl");
  writeFileSync(path, `${JSON.stringify(header)}\n`);
  writeFileSync(lockFolder(path), "no lock can be made here");
  const programs = ["a", "b", "c"].map((tag) => start("append", [path, "8", "2000000", tag]));
  const stored = (await Promise.all(programs.map(({ ended }) => ended))).flatMap((text) => text.trim().split("\n"));
  // One that began while another was writing may have ended a line twice.
  const text = readFileSync(path, "utf8").split("\n");
  const lines = text.filter((line) => line !== "").map((line) => JSON.parse(line));
  expect(lines).toHaveLength(25);
  expect(SessionManager.open(path).getDamage()).toEqual({ badLines: 0, torn: false, headerMissing: false });
  expect(
    lines
      .slice(1)
      .map((line) => line.id)
      .sort(),
  ).toEqual(stored.sort());
  expect(lines.slice(1).every((line) => line.data.length === 2_000_001)).toBe(true);
});

test("what was reported as stored survives a kill at any moment", async () => {
  const folder = scratch();
  mkdirSync(join(folder, "sessions"));
  for (let round = 0; round < 10; round++) {
    const path = join(folder, "sessions", `${round}.jsonl`);
    const program = start("append", [path, "100000", String(round * 300), "x"]);
    for (let line = 0; line <= round * 7; line++) await program.line();
    program.child.kill("SIGKILL");
    const stored = (await program.ended).split("\n").slice(0, -1);
    const session = SessionManager.open(path);
    const there = new Set(session.getEntries().map(({ id }) => id));
    expect(stored.filter((id) => !there.has(id))).toEqual([]);
    session.appendCustomEntry("after");
    session.close();
    expect(linesOf(path)).toHaveLength(there.size + 2);
  }
});
