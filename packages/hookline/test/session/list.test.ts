import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { listAllSessions, listSessions } from "../../src/session/list.ts";
import { openSession, SessionManager } from "../../src/session/session.ts";
import { scratch } from "./scratch.ts";
import { assistant, result, user } from "./talk.ts";

function talk(home: string, cwd: string, first: string, at: number): SessionManager {
  const opened = openSession({ kind: "new" }, { cwd, home }, { now: () => at });
  if (opened.state !== "open") throw new Error(opened.state);
  const { session } = opened;
  session.appendModelChange("p1", "m1");
  session.appendMessage({
    ...user(first, at),
    content: [
      { type: "text", text: first },
      { type: "image", data: "", mimeType: "image/png" },
    ],
  });
  session.appendMessage({ ...assistant("looking", ["c1"]), timestamp: at + 1 });
  session.appendMessage({ ...result("c1"), timestamp: at + 2 });
  session.appendMessage({ ...assistant("an answer"), timestamp: at + 3 });
  session.appendCustomEntry("state", { type: "message" });
  session.close();
  return session;
}

test("a working directory's sessions are listed with the last used first", async () => {
  const home = scratch();
  const old = talk(home, "/project", "what is old", 1000);
  const young = talk(home, "/project", "what is new", 5000);
  talk(home, "/other", "elsewhere", 9000);
  const list = await listSessions({ cwd: "/project", home });
  expect(list).toEqual([
    {
      path: young.getSessionFile(),
      id: young.getSessionId(),
      cwd: "/project",
      created: new Date(5000),
      modified: new Date(5003),
      messageCount: 4,
      firstMessage: "what is new",
    },
    expect.objectContaining({ path: old.getSessionFile(), firstMessage: "what is old" }),
  ]);
  expect(list[0]?.allMessagesText).toBe("what is new looking an answer");
  expect(await listSessions({ cwd: NO_HOME, home })).toEqual([]);
});

test("all working directories' sessions are listed together, or the last changed of them", async () => {
  const home = scratch();
  talk(home, "/project", "one", 1000);
  const other = talk(home, "/other", "two", 9000);
  const last = talk(home, "/third", "three", 5000);
  utimesSync(other.getSessionFile() ?? "", 100, 100);
  const progress: [number, number][] = [];
  const all = await listAllSessions({ home }, { onProgress: (done, total) => progress.push([done, total]) });
  expect(all.map(({ firstMessage }) => firstMessage)).toEqual(["two", "three", "one"]);
  expect(progress).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  const one = await listAllSessions({ home }, { limit: 1 });
  expect(one.map(({ path }) => path)).toEqual([last.getSessionFile()]);
});

test("the name is the last one that was given, wherever it stands", async () => {
  const home = scratch();
  const session = talk(home, "/project", "one", 1000);
  const again = SessionManager.open(session.getSessionFile() ?? "");
  again.appendSessionInfo("first name");
  again.appendSessionInfo("second name");
  again.appendMessage(user("on", 7000));
  const [info] = await listSessions({ cwd: "/project", home });
  expect(info).toMatchObject({ name: "second name", messageCount: 5, modified: new Date(7000) });
  again.appendSessionInfo("");
  expect((await listSessions({ cwd: "/project", home }))[0]).not.toHaveProperty("name");
});

test("a list agrees with the parsed file, whoever wrote its lines", async () => {
  const folder = scratch();
  const path = join(folder, "foreign.jsonl");
  const timestamp = "2025-01-01T00:00:00.000Z";
  const lines = [
    { cwd: "/project", id: "foreign", type: "session", version: 3, timestamp, parentSession: "/p.jsonl" },
    { timestamp, message: { timestamp: 5, content: "", role: "user" }, parentId: null, id: "a", type: "message" },
    {
      timestamp,
      message: { content: "late key", timestamp: 6, role: "user" },
      parentId: "a",
      id: "b",
      type: "message",
    },
    { type: "custom", customType: 'tricky","message":{"role":"user"', data: 1, id: "c", parentId: "b", timestamp },
    { parentId: "c", type: "session_info", id: "d", timestamp, name: " named " },
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  appendFileSync(
    path,
    '{"type":"message","id":"e","parentId":"d","timestamp":"2025-01-01T00:00:00.000Z","message":{"role":"user","content":"to',
  );
  const [info] = await listAllSessions({ sessionDir: folder });
  expect(info).toMatchObject({
    id: "foreign",
    name: "named",
    parentSessionPath: "/p.jsonl",
    messageCount: 2,
    firstMessage: "late key",
    modified: new Date(6),
  });
});

test("files that are not sessions are passed over, and a session without talk is listed as such", async () => {
  const sessionDir = scratch();
  mkdirSync(join(sessionDir, "folder.jsonl"));
  writeFileSync(join(sessionDir, "other.jsonl"), '{"type":"user"}\n');
  writeFileSync(join(sessionDir, "empty.jsonl"), "");
  writeFileSync(join(sessionDir, "notes.txt"), "hello");
  const session = SessionManager.create("/project", sessionDir, {}, { eager: true, now: () => 1000 });
  session.close();
  const list = await SessionManager.listAll(sessionDir);
  expect(list).toEqual([
    {
      path: session.getSessionFile(),
      id: session.getSessionId(),
      cwd: "/project",
      created: new Date(1000),
      modified: new Date(1000),
      messageCount: 0,
      firstMessage: "(no messages)",
    },
  ]);
  expect(await SessionManager.list("/elsewhere", sessionDir)).toEqual([]);
  expect(await SessionManager.list("/project", sessionDir)).toHaveLength(1);
});

test("a listing can be cancelled", async () => {
  const home = scratch();
  talk(home, "/project", "one", 1000);
  await expect(listAllSessions({ home }, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
