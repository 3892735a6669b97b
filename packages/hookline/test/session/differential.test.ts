import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listSessions } from "../../src/session/list.ts";
import { openSession, SessionManager } from "../../src/session/session.ts";
import { convertToLlm, serializeConversation } from "../../src/session/to-llm.ts";
import { make, moves } from "./moves.ts";
import { linesOf, scratch } from "./scratch.ts";
import { assistant, result, user } from "./talk.ts";

/** Returns the folder of pi, if it is installed: next to the tests, or in the folder that HOOKLINE_PEERS names. */
function locate(): string | undefined {
  const name = "@earendil-works/pi-coding-agent";
  const peers = process.env["HOOKLINE_PEERS"];
  const bases = [import.meta.url, ...(peers ? [pathToFileURL(join(peers, "package.json")).href] : [])];
  const folders = bases.flatMap((base) => createRequire(base).resolve.paths(name) ?? []);
  return folders
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, "dist/core/session-manager.js")));
}

const pi = locate();
const load = (file: string): Promise<any> =>
  import(/* @vite-ignore */ pathToFileURL(join(pi ?? "", "dist/core", file)).href);
const json = (value: unknown) => JSON.parse(JSON.stringify(value));

describe.skipIf(pi === undefined)("against pi's own session manager", () => {
  test("pi reads what hookline wrote, and sees the same session", async () => {
    const { SessionManager: Theirs } = await load("session-manager.js");
    const { convertToLlm: theirConvert } = await load("messages.js");
    const { serializeConversation: theirSerialize } = await load("compaction/utils.js");
    const folder = scratch();
    fc.assert(
      fc.property(moves, (todo) => {
        const ours = SessionManager.create("/project", folder);
        for (const move of todo)
          make(
            move,
            ours,
            ours.getEntries().map(({ id }) => id),
          );
        ours.appendMessage(assistant("the end"));
        ours.close();
        const theirs = Theirs.open(ours.getSessionFile());
        expect(json(ours.getEntries())).toEqual(json(theirs.getEntries()));
        expect(json(ours.buildSessionContext())).toEqual(json(theirs.buildSessionContext()));
        expect(json(ours.buildContextEntries())).toEqual(json(theirs.buildContextEntries()));
        expect(json(ours.getTree())).toEqual(json(theirs.getTree()));
        expect(ours.getLeafId()).toBe(theirs.getLeafId());
        expect(ours.getSessionName()).toBe(theirs.getSessionName());
        for (const { id } of ours.getEntries()) {
          expect(ours.getLabel(id)).toBe(theirs.getLabel(id));
          expect(json(ours.getChildren(id))).toEqual(json(theirs.getChildren(id)));
          expect(json(ours.getBranch(id))).toEqual(json(theirs.getBranch(id)));
        }
        const { messages } = ours.buildSessionContext();
        const converted = json(convertToLlm(messages));
        expect(converted).toEqual(json(theirConvert(messages)));
        expect(serializeConversation(converted)).toBe(theirSerialize(converted));
      }),
      { numRuns: 100 },
    );
  });

  test("hookline reads what pi wrote, continues, and pi reads that", async () => {
    const { SessionManager: Theirs } = await load("session-manager.js");
    const folder = scratch();
    fc.assert(
      fc.property(moves, moves, (before, after) => {
        const theirs = Theirs.create("/project", folder);
        for (const move of before)
          make(
            move,
            theirs,
            theirs.getEntries().map(({ id }: { id: string }) => id),
          );
        theirs.appendMessage(assistant("the end"));
        const path = theirs.getSessionFile();
        const ours = SessionManager.open(path, undefined, undefined, {
          tailFirstBytes: before.length % 2 === 0 ? 0 : Number.POSITIVE_INFINITY,
        });
        expect(json(ours.buildSessionContext())).toEqual(json(theirs.buildSessionContext()));
        expect(json(ours.getEntries())).toEqual(json(theirs.getEntries()));
        for (const move of after)
          make(
            move,
            ours,
            ours.getEntries().map(({ id }) => id),
          );
        ours.close();
        const again = Theirs.open(path);
        expect(json(again.getEntries())).toEqual(json(ours.getEntries()));
        if (ours.getLeafId() === again.getLeafId()) {
          expect(json(again.buildSessionContext())).toEqual(json(ours.buildSessionContext()));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("both fork a path in the same way", async () => {
    const { SessionManager: Theirs } = await load("session-manager.js");
    const folder = scratch();
    fc.assert(
      fc.property(moves, fc.nat(), (todo, at) => {
        const source = SessionManager.create("/project", folder);
        for (const move of todo)
          make(
            move,
            source,
            source.getEntries().map(({ id }) => id),
          );
        source.appendMessage(assistant("the end"));
        source.close();
        const path = source.getSessionFile() ?? "";
        const leaf = source.getEntries()[at % source.getEntries().length]?.id ?? "";
        // The labels that a fork sets anew have new ids, so entries are compared by what stands in them.
        const forked = (session: any) => {
          session.createBranchedSession(leaf);
          const entries = session.getEntries();
          const ids = new Map(entries.map((entry: any, index: number) => [entry.id, `#${index}`]));
          return json(entries).map((entry: any) =>
            entry.type === "label" ? { ...entry, id: ids.get(entry.id), parentId: ids.get(entry.parentId) } : entry,
          );
        };
        const ours = SessionManager.open(path);
        const theirs = Theirs.open(path);
        expect(forked(ours)).toEqual(forked(theirs));
        expect(json(ours.buildSessionContext())).toEqual(json(theirs.buildSessionContext()));
        expect(ours.getHeader().parentSession).toBe(theirs.getHeader().parentSession);
      }),
      { numRuns: 60 },
    );
  });

  test("both migrate older versions in the same way", async () => {
    const { migrateSessionEntries } = await load("session-manager.js");
    const { migrate } = await import("../../src/session/migrate.ts");
    const timestamp = "2025-01-01T00:00:00.000Z";
    const line = fc.oneof(
      fc
        .constantFrom(user("one"), assistant("two"), result("c"), { ...user("h"), role: "hookMessage" })
        .map((message) => ({ type: "message", timestamp, message })),
      fc
        .nat(8)
        .map((index) => ({ type: "compaction", timestamp, summary: "s", tokensBefore: 1, firstKeptEntryIndex: index })),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom({}, { version: 1 }), (lines, version) => {
        const file = [{ type: "session", ...version, id: "s", timestamp, cwd: "/project" }, ...lines];
        const theirs = json(file);
        migrateSessionEntries(theirs);
        const numbered = (entries: any[]) => {
          const ids = new Map(entries.map((entry, index) => [entry.id, index]));
          return entries.map((entry) => ({
            ...entry,
            ...Object.fromEntries(["id", "parentId", "firstKeptEntryId"].map((key) => [key, ids.get(entry[key])])),
          }));
        };
        expect(numbered(json(migrate(file)))).toEqual(numbered(theirs));
      }),
    );
  });

  test("both name folders alike and find each other's sessions", async () => {
    const { SessionManager: Theirs, getDefaultSessionDir } = await load("session-manager.js");
    const home = scratch();
    for (const cwd of ["/project", "/", "/a b/c:d", "/x-y/z."]) {
      const opened = openSession({ kind: "new" }, { cwd, home });
      expect(opened.state === "open" && opened.session.getSessionDir()).toBe(getDefaultSessionDir(cwd, home));
    }
    const folder = scratch();
    const theirs = Theirs.create("/project", folder);
    theirs.appendMessage(user("hello"));
    theirs.appendMessage(assistant("there"));
    theirs.appendSessionInfo("greeting");
    theirs.appendCustomEntry("state", { type: "message" });
    const [ourInfo] = await listSessions({ cwd: "/project", sessionDir: folder });
    const [theirInfo] = await Theirs.list("/project", folder);
    expect(ourInfo).toEqual(json(theirInfo) && { ...theirInfo, allMessagesText: undefined });
    expect(ourInfo?.allMessagesText).toBe(theirInfo.allMessagesText);
    const found = openSession({ kind: "recent" }, { cwd: "/project", sessionDir: folder });
    expect(found.state === "open" && found.session.getSessionId()).toBe(theirs.getSessionId());
    expect(linesOf(theirs.getSessionFile())).toHaveLength(5);
  });
});
