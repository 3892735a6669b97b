import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { directoryName, hooklineHome, sessionDirectory } from "../../src/session/directory.ts";
import type { OpenResult, SessionPlace, SessionRequest } from "../../src/session/open.ts";
import { openSession, SessionManager } from "../../src/session/session.ts";
import { scratch } from "./scratch.ts";
import { assistant } from "./talk.ts";

function stored(place: SessionPlace, text: string, request: SessionRequest = { kind: "new" }): SessionManager {
  const session = opened(openSession(request, place));
  session.appendMessage(assistant(text));
  session.close();
  return session;
}

function opened(result: OpenResult<SessionManager>): SessionManager {
  if (result.state !== "open") throw new Error(JSON.stringify(result));
  return result.session;
}

/** Makes a file look as if it was written that many seconds ago. */
function age(session: SessionManager, seconds: number): void {
  const at = Date.now() / 1000 - seconds;
  utimesSync(session.getSessionFile() ?? "", at, at);
}

test("a working directory's folder has pi's name", () => {
  expect(directoryName("/home/me/my project")).toBe("--home-me-my project--");
  expect(directoryName("/")).toBe("----");
  expect(directoryName("/a/b/../c:d")).toBe("--a-c-d--");
  expect(hooklineHome({ HOOKLINE_HOME: "/somewhere" })).toBe("/somewhere");
});

test("a new session is in its working directory's folder, named by time and id", () => {
  const home = scratch();
  const result = openSession({ kind: "new" }, { cwd: "/project/x", home });
  const session = opened(result);
  expect(result).toMatchObject({ state: "open", fresh: true });
  expect(session.getSessionDir()).toBe(join(home, "sessions", "--project-x--"));
  const time = session.getHeader().timestamp.replace(/[:.]/g, "-");
  expect(session.getSessionFile()).toBe(join(session.getSessionDir(), `${time}_${session.getSessionId()}.jsonl`));
  expect(session.getHeader()).toEqual({
    type: "session",
    version: 3,
    id: session.getSessionId(),
    timestamp: session.getHeader().timestamp,
    cwd: "/project/x",
  });
});

test("the home that is used without one is the environment's", () => {
  const home = scratch();
  vi.stubEnv("HOOKLINE_HOME", home);
  try {
    const session = SessionManager.create("/project");
    expect(session.getSessionDir()).toBe(sessionDirectory("/project", home));
    expect(session.usesDefaultSessionDir()).toBe(true);
    expect(SessionManager.create("/project", home).usesDefaultSessionDir()).toBe(false);
  } finally {
    vi.unstubAllEnvs();
  }
});

test("the most recent session is the one whose file changed last; without one a new session begins", () => {
  const place = { cwd: "/project", home: scratch() };
  expect(openSession({ kind: "recent" }, place)).toMatchObject({ state: "open", fresh: true });
  const first = stored(place, "first");
  const second = stored(place, "second");
  age(second, 100);
  age(first, 50);
  stored({ ...place, cwd: "/other" }, "elsewhere");
  const result = openSession({ kind: "recent" }, place);
  expect(result).toMatchObject({ state: "open", fresh: false });
  expect(opened(result).getSessionId()).toBe(first.getSessionId());
});

test("in one folder for everything the most recent session is one of this working directory", () => {
  const sessionDir = scratch();
  const mine = stored({ cwd: "/project", sessionDir }, "mine");
  age(mine, 100);
  stored({ cwd: "/other", sessionDir }, "theirs");
  expect(opened(openSession({ kind: "recent" }, { cwd: "/project", sessionDir })).getSessionId()).toBe(
    mine.getSessionId(),
  );
  expect(SessionManager.continueRecent("/project", sessionDir).getSessionId()).toBe(mine.getSessionId());
});

test("the beginning of an id finds a session here first, then anywhere", () => {
  const place = { cwd: "/project", home: scratch() };
  const near = stored(place, "near", { kind: "new", id: "abc-1" });
  const far = stored({ ...place, cwd: "/other" }, "far", { kind: "new", id: "abd-1" });
  expect(opened(openSession({ kind: "id", prefix: "ab" }, place)).getSessionId()).toBe("abc-1");
  const elsewhere = opened(openSession({ kind: "id", prefix: "abd" }, place));
  expect(elsewhere.getSessionFile()).toBe(far.getSessionFile());
  expect(elsewhere.getCwd()).toBe("/other");
  expect(near.getCwd()).toBe("/project");
  expect(openSession({ kind: "id", prefix: "zzz" }, place)).toEqual({ state: "missing", prefix: "zzz" });
  expect(openSession({ kind: "id", prefix: "" }, place)).toEqual({ state: "missing", prefix: "" });
});

test("a beginning that several ids share is ambiguous, unless it is one of them", () => {
  const place = { cwd: "/project", home: scratch() };
  for (const id of ["ab", "ab-1", "ab-2"]) stored(place, id, { kind: "new", id });
  const result = openSession({ kind: "id", prefix: "ab-" }, place);
  expect(result.state === "ambiguous" && result.paths.length).toBe(2);
  expect(opened(openSession({ kind: "id", prefix: "ab" }, place)).getSessionId()).toBe("ab");
});

test("a file that is not there yet becomes the session's file", () => {
  const path = join(scratch(), "sub", "mine.jsonl");
  const session = opened(openSession({ kind: "file", path }, { cwd: "/project" }));
  session.appendMessage(assistant("one"));
  session.close();
  const again = opened(openSession({ kind: "file", path }, { cwd: "/elsewhere" }));
  expect(again.getCwd()).toBe("/project");
  expect(again.getSessionDir()).toBe(join(path, ".."));
  expect(again.getEntries()).toHaveLength(1);
  again.close();
  expect(opened(openSession({ kind: "file", path, cwd: "/override" }, { cwd: "/elsewhere" })).getCwd()).toBe(
    "/override",
  );
});

test("what is not a session is refused and left as it is", () => {
  const folder = scratch();
  mkdirSync(join(folder, "folder.jsonl"));
  for (const [name, content] of [
    ["package.json", '{\n  "name": "x"\n}\n'],
    ["other.jsonl", '{"type":"user","uuid":"1"}\n{"type":"assistant","id":"2"}\n'],
    ["words.txt", "hello"],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, content);
    expect(openSession({ kind: "file", path }, { cwd: "/project" })).toEqual({
      state: "refused",
      path,
      problem: "it is not a session",
    });
    expect(() => SessionManager.open(path)).toThrow(`Session file is not a valid hookline session: ${path}`);
    expect(readFileSync(path, "utf8")).toBe(content);
  }
  const path = join(folder, "folder.jsonl");
  expect(openSession({ kind: "file", path }, { cwd: "/project" })).toEqual({
    state: "refused",
    path,
    problem: "it is not a regular file",
  });
});

test("a session behind a symbolic link is refused and not found", () => {
  const place = { cwd: "/project", home: scratch() };
  const real = stored(place, "real");
  const path = join(real.getSessionDir(), `x_${real.getSessionId()}.jsonl`);
  const before = readFileSync(real.getSessionFile() ?? "");
  symlinkSync(real.getSessionFile() ?? "", path);
  expect(openSession({ kind: "file", path }, place)).toEqual({
    state: "refused",
    path,
    problem: "it is a symbolic link",
  });
  expect(opened(openSession({ kind: "id", prefix: real.getSessionId() }, place)).getSessionFile()).toBe(
    real.getSessionFile(),
  );
  expect(readFileSync(real.getSessionFile() ?? "")).toEqual(before);
});

test("a session in memory has no file and may begin with entries", async () => {
  const source = SessionManager.inMemory("/project");
  source.appendMessage(assistant("one"));
  const session = opened(openSession({ kind: "memory", entries: source.getEntries() }, { cwd: "/project" }));
  session.appendMessage(assistant("two"));
  expect(session.isPersisted()).toBe(false);
  expect(session.getSessionFile()).toBeUndefined();
  expect(session.getSessionDir()).toBe("");
  expect(session.getEntries()).toHaveLength(2);
  expect(await session.flush()).toBe(true);
});
