import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSession, SessionManager } from "../../src/session/session.ts";
import type { StorageReport } from "../../src/session/storage.ts";
import { linesOf, scratch, unsynced } from "./scratch.ts";
import { assistant, result, user } from "./talk.ts";

/** A session file of about 2 KB, as bytes. */
function sample(folder: string): Buffer {
  const session = SessionManager.create("/project", folder);
  session.appendModelChange("p1", "m1");
  session.appendMessage(user("zwölf Boxkämpfer 🥊"));
  session.appendMessage(assistant("let me look", ["c1"]));
  session.appendMessage(result("c1", "é".repeat(60)));
  session.appendMessage(assistant("done"));
  session.appendSessionInfo("boxing");
  session.close();
  return readFileSync(session.getSessionFile() ?? "");
}

function completeLines(bytes: Buffer): string[] {
  const lines = bytes.toString("utf8").split("\n");
  return lines.filter((line) => {
    try {
      JSON.parse(line);
      return true;
    } catch {
      return false;
    }
  });
}

test("a file cut at any byte keeps its whole lines, and the next entry never joins a torn one", () => {
  const folder = scratch();
  const whole = sample(folder);
  expect(whole.length).toBeGreaterThan(1500);
  for (let length = 0; length <= whole.length; length++) {
    const path = join(folder, `cut-${length}.jsonl`);
    const cut = whole.subarray(0, length);
    writeFileSync(path, cut);
    const kept = completeLines(cut);
    const reports: StorageReport[] = [];
    const opened = openSession(
      { kind: "file", path },
      { cwd: "/project" },
      { disk: unsynced, onStorage: (report) => reports.push(report) },
    );
    if (opened.state !== "open") throw new Error(`cut at ${length}: ${JSON.stringify(opened)}`);
    const session = opened.session;
    expect(session.getEntries().map((entry) => JSON.stringify(entry))).toEqual(kept.slice(1));
    expect(readFileSync(path)).toEqual(cut);

    session.appendMessage(assistant("after the cut"));
    session.close();
    const lines = linesOf(path);
    expect(lines[0].type).toBe("session");
    expect(lines.slice(1, -1).map((line) => JSON.stringify(line))).toEqual(kept.slice(1));
    expect(lines.at(-1).message.content[0].text).toBe("after the cut");

    const aside = existsSync(`${path}.bak`) ? readFileSync(`${path}.bak`) : Buffer.alloc(0);
    const fragment = cut.subarray(cut.lastIndexOf(10) + 1);
    const torn = fragment.length > 0 && !kept.includes(fragment.toString("utf8"));
    expect(aside.toString("latin1")).toBe(torn ? `${fragment.toString("latin1")}\n` : "");
    expect(reports.map((report) => report.state)).toEqual(torn ? ["set-aside"] : []);
  }
});

test("a last line that lacks only its line break is kept and ended", () => {
  const folder = scratch();
  const whole = sample(folder);
  const path = join(folder, "unended.jsonl");
  writeFileSync(path, whole.subarray(0, -1));
  const session = SessionManager.open(path);
  expect(session.getSessionName()).toBe("boxing");
  session.appendMessage(user("more"));
  expect(
    linesOf(path)
      .map((line) => line.type)
      .slice(-2),
  ).toEqual(["session_info", "message"]);
  expect(existsSync(`${path}.bak`)).toBe(false);
});

test("a run of NUL bytes at the end is set aside like any torn line", () => {
  const folder = scratch();
  const path = join(folder, "nuls.jsonl");
  writeFileSync(path, Buffer.concat([sample(folder), Buffer.alloc(5000)]));
  const session = SessionManager.open(path);
  expect(session.getEntries()).toHaveLength(6);
  expect(session.getDamage()).toEqual({ badLines: 0, torn: true, headerMissing: false });
  session.appendMessage(user("more"));
  expect(linesOf(path)).toHaveLength(8);
  expect(readFileSync(`${path}.bak`)).toEqual(Buffer.concat([Buffer.alloc(5000), Buffer.from("\n")]));
});

test("a torn line longer than a block is set aside whole", () => {
  const folder = scratch();
  const path = join(folder, "long.jsonl");
  const fragment = `{"type":"message","id":"aaaaaaaa","message":"${"x".repeat(300_000)}`;
  writeFileSync(path, Buffer.concat([sample(folder), Buffer.from(fragment)]));
  const session = SessionManager.open(path);
  session.appendMessage(user("more"));
  expect(linesOf(path)).toHaveLength(8);
  expect(readFileSync(`${path}.bak`, "utf8")).toBe(`${fragment}\n`);
});

test("without the lock a torn line is ended, never cut: it may be another process's", () => {
  const folder = scratch();
  const path = join(folder, "shared.jsonl");
  writeFileSync(path, Buffer.concat([sample(folder), Buffer.from('{"type":"mess')]));
  writeFileSync(`${path}.lock`, "no lock can be made here");
  SessionManager.open(path).appendMessage(user("more"));
  expect(readFileSync(path, "utf8")).toContain('\n{"type":"mess\n{"type":"message"');
  expect(existsSync(`${path}.bak`)).toBe(false);
  const again = SessionManager.open(path);
  expect(again.getDamage()).toEqual({ badLines: 1, torn: false, headerMissing: false });
  expect(again.buildSessionContext().messages.at(-1)).toEqual(user("more"));
});
