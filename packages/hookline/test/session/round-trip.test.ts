import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionManager } from "../../src/session/session.ts";
import { make, moves } from "./moves.ts";
import { linesOf, scratch } from "./scratch.ts";
import { assistant } from "./talk.ts";

const idsOf = (session: SessionManager) => session.getEntries().map(({ id }) => id);

test("what is appended is what is read again, in whatever way the file is read", () => {
  const folder = scratch();
  fc.assert(
    fc.property(moves, (todo) => {
      const written = SessionManager.create("/project", folder);
      for (const move of todo) make(move, written, idsOf(written));
      written.appendMessage(assistant("the end"));
      const path = written.getSessionFile() ?? "";
      const stored = JSON.parse(JSON.stringify(written.getEntries()));
      expect(linesOf(path)).toEqual([JSON.parse(JSON.stringify(written.getHeader())), ...stored]);

      for (const tailFirstBytes of [0, Number.POSITIVE_INFINITY]) {
        const read = () => SessionManager.open(path, undefined, undefined, { tailFirstBytes });
        expect(read().buildSessionContext()).toEqual(written.buildSessionContext());
        expect(read().getEntries()).toEqual(stored);
        expect(read().getLeafId()).toBe(written.getLeafId());
        expect(read().getBranch()).toEqual(JSON.parse(JSON.stringify(written.getBranch())));
        expect(read().getTree()).toEqual(JSON.parse(JSON.stringify(written.getTree())));
        expect(read().getSessionName()).toBe(written.getSessionName());
        const labels = (session: SessionManager) => stored.map((entry: any) => session.getLabel(entry.id));
        expect(labels(read())).toEqual(labels(written));
        const children = (session: SessionManager) =>
          stored.map((entry: any) => session.getChildren(entry.id).map(({ id }) => id));
        expect(children(read())).toEqual(children(written));
      }
      written.close();
    }),
    { numRuns: 150 },
  );
});

test("a session that is opened tail first continues exactly like one that is opened whole", () => {
  const folder = scratch();
  fc.assert(
    fc.property(moves, moves, (before, after) => {
      const first = SessionManager.create("/project", folder);
      for (const move of before) make(move, first, idsOf(first));
      first.appendMessage(assistant("the end"));
      first.close();
      const path = first.getSessionFile() ?? "";

      const session = SessionManager.open(path, undefined, undefined, { tailFirstBytes: 0 });
      for (const move of after) {
        const ids = linesOf(path)
          .slice(1)
          .map((line) => line.id);
        make(move, session, ids);
        const whole = SessionManager.open(path, undefined, undefined, { tailFirstBytes: Number.POSITIVE_INFINITY });
        const leaf = session.getLeafId();
        if (leaf === null) whole.resetLeaf();
        else whole.branch(leaf);
        expect(session.buildSessionContext()).toEqual(whole.buildSessionContext());
      }
      const ids = linesOf(path).map((line) => line.id);
      expect(new Set(ids).size).toBe(ids.length);
      session.close();
    }),
    { numRuns: 60 },
  );
});

test("reading a session leaves its file as it was", () => {
  const folder = scratch();
  const session = SessionManager.create("/project", folder);
  session.appendMessage(assistant("hello"));
  session.close();
  const path = session.getSessionFile() ?? "";
  const before = readFileSync(path);
  const again = SessionManager.open(path);
  again.getTree();
  again.buildSessionContext();
  again.close();
  expect(readFileSync(path)).toEqual(before);
});

test("data without JSON is refused and leaves the session as it was", () => {
  const session = SessionManager.create("/project", scratch());
  session.appendMessage(assistant("hello"));
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  expect(() => session.appendCustomEntry("state", loop)).toThrow(/circular/i);
  session.appendCustomEntry("state", { fine: true });
  expect(linesOf(session.getSessionFile() ?? "").map((line) => line.type)).toEqual(["session", "message", "custom"]);
  expect(session.getEntries()).toHaveLength(2);
});

test("children are found however they were added", () => {
  const session = SessionManager.inMemory("/project");
  const root = session.appendMessage(assistant("root"));
  expect(session.getChildren(root)).toEqual([]);
  const first = session.appendMessage(assistant("first"));
  session.branch(root);
  const second = session.appendMessage(assistant("second"));
  expect(session.getChildren(root).map(({ id }) => id)).toEqual([first, second]);
  expect(session.getChildren(second)).toEqual([]);
  expect(session.getChildren("nobody")).toEqual([]);
});
