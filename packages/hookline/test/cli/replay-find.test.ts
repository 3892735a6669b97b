import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findSources } from "../../src/cli/replay/find.ts";
import { sessionDirectory } from "../../src/session/directory.ts";

/** A home with sessions and recordings, and a search there. */
function home() {
  const top = mkdtempSync(join(tmpdir(), "hookline-find-"));
  chmodSync(top, 0o755);
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [cwd, hooklineHome] = [join(top, "project"), join(top, ".hookline")];
  const write = (path: string, line: object): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(line)}\n`);
    return path;
  };
  return {
    session: (id: string) =>
      write(join(sessionDirectory(cwd, hooklineHome), `2026-11-24T10-00-00-000Z_${id}.jsonl`), {
        type: "session",
        version: 3,
        id,
        timestamp: "2026-11-24T10:00:00.000Z",
        cwd,
      }),
    /** A session of Claude Code in this folder. */
    claude: (id: string) => write(join(top, ".claude/projects", cwd.replaceAll(/[^a-z0-9]/gi, "-"), `${id}.jsonl`), {}),
    recording: (id: string, level: string, folder = cwd) =>
      write(join(hooklineHome, "recordings", `${id}.jsonl`), {
        v: 2,
        kind: "recording",
        at: 0,
        session: id,
        cwd: folder,
        hookline: "0",
        level,
        t: 1,
      }),
    async search(...words: string[]) {
      const io = { cwd: top, env: {} };
      const place = { cwd, home: top, hooklineHome };
      const { sources, notes } = await findSources({ words, flags: {} } as never, io as never, place as never);
      return { paths: sources.map(({ path }) => path), notes };
    },
  };
}

test("a session that was only logged is asked about from its own file, which has the arguments of calls", async () => {
  const at = home();
  const [session, log, other] = [at.session("a"), at.recording("a", "log"), at.recording("b", "log")];
  const found = await at.search();
  expect(found).toMatchObject({
    notes: ["1 session was only logged; hooks are asked about the session's file, not the log."],
  });
  expect(found.paths.sort()).toEqual([other, session].sort());
  expect(await at.search(log)).toEqual({ paths: [log], notes: [] });
});

test("a recorded session is asked about once, and the person is told, however it was named", async () => {
  const at = home();
  const [session, recording] = [at.session("a"), at.recording("a", "decisions")];
  const once = {
    paths: [recording],
    notes: ["1 session was recorded; hooks are asked about the recording, not the session's file."],
  };
  expect(await at.search()).toEqual(once);
  expect(await at.search(session, recording)).toEqual(once);
});

test("the start of an id names recordings, also those without a session's file", async () => {
  const at = home();
  const [recording, elsewhere] = [at.recording("abc", "all"), at.recording("abd", "all", "/elsewhere")];
  at.session("abc");
  expect(await at.search("ab")).toMatchObject({ paths: [recording] });
  expect(await at.search("abd")).toMatchObject({ paths: [elsewhere] });
  await expect(at.search("x")).rejects.toThrow("neither a file nor the start of a session's id");
});

test.skipIf(process.platform === "win32")(
  "a file that may not be read is named, and the others are found",
  async () => {
    const at = home();
    const [closed, recording] = [at.recording("a", "all"), at.recording("b", "all")];
    chmodSync(closed, 0);
    // Root may read everything, so for once it acts as somebody who may not.
    const asRoot = process.getuid?.() === 0;
    if (asRoot) process.seteuid?.(65_534);
    try {
      expect(await at.search()).toEqual({ paths: [recording], notes: [expect.stringContaining(closed)] });
    } finally {
      if (asRoot) process.seteuid?.(0);
    }
  },
);

test("sessions of other agents in this folder are named, because they are replayed only on request", async () => {
  const at = home();
  const own = at.session("a");
  at.claude("b");
  const told = "Left out, of the last 30 days: 1 of claude. --agents claude adds them.";
  expect(await at.search()).toEqual({ paths: [own], notes: [told] });
  expect((await at.search("a")).notes).toEqual([]);
});
