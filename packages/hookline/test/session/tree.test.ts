import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forkLanding, treeLanding } from "../../src/session/fork.ts";
import { SessionManager } from "../../src/session/session.ts";
import { readonlyView } from "../../src/session/view.ts";
import { linesOf, scratch } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

test("an entry that is added becomes the leaf and the child of the one before", () => {
  const session = SessionManager.inMemory("/project");
  expect(session.getLeafId()).toBeNull();
  expect(session.getLeafEntry()).toBeUndefined();
  const first = session.appendMessage(user("one"));
  const second = session.appendThinkingLevelChange("high");
  expect(session.getEntry(first)?.parentId).toBeNull();
  expect(session.getLeafEntry()).toMatchObject({ id: second, parentId: first, type: "thinking_level_change" });
  expect(first).toMatch(/^[0-9a-f]{8}$/);
});

test("a branch starts where the leaf was moved to, and the old one stays", () => {
  const session = SessionManager.inMemory("/project");
  const root = session.appendMessage(user("root"));
  const left = session.appendMessage(assistant("left"));
  session.branch(root);
  const right = session.appendMessage(assistant("right"));
  expect(session.getBranch().map(({ id }) => id)).toEqual([root, right]);
  expect(session.getBranch(left).map(({ id }) => id)).toEqual([root, left]);
  const [tree] = session.getTree();
  expect(tree?.children.map(({ entry }) => entry.id)).toEqual([left, right]);
  expect(() => session.branch("nobody")).toThrow("Entry nobody not found");
});

test("after a reset the next entry is a second root", () => {
  const session = SessionManager.inMemory("/project");
  session.appendMessage(user("one"));
  session.resetLeaf();
  expect(session.buildSessionContext().messages).toEqual([]);
  session.appendMessage(user("two"));
  expect(session.getTree()).toHaveLength(2);
  expect(session.buildSessionContext().messages).toEqual([user("two")]);
});

test("a summarised move is placed at its target and names the leaf that was left", () => {
  const session = SessionManager.inMemory("/project");
  const root = session.appendMessage(user("root"));
  const left = session.appendMessage(assistant("left"));
  const summary = session.branchWithSummary(root, "went left", { files: ["a"] }, true);
  expect(session.getLeafEntry()).toMatchObject({
    type: "branch_summary",
    id: summary,
    parentId: root,
    fromId: left,
    summary: "went left",
    details: { files: ["a"] },
    fromHook: true,
  });
  session.resetLeaf();
  session.branchWithSummary(null, "from nowhere");
  expect(session.getLeafEntry()).toMatchObject({ parentId: null, fromId: "root" });
  expect(() => session.branchWithSummary("nobody", "x")).toThrow("Entry nobody not found");
});

test("a label lasts until it is replaced or taken away", () => {
  const session = SessionManager.inMemory("/project");
  const first = session.appendMessage(user("one"));
  const at = session.appendLabelChange(first, "start");
  expect(session.getLabel(first)).toBe("start");
  expect(session.getTree()[0]).toMatchObject({ label: "start", labelTimestamp: session.getEntry(at)?.timestamp });
  session.appendLabelChange(first, "begin");
  expect(session.getLabel(first)).toBe("begin");
  session.appendLabelChange(first, undefined);
  expect(session.getLabel(first)).toBeUndefined();
  expect(session.getLeafEntry()).not.toHaveProperty("label");
  expect(session.getTree()[0]).not.toHaveProperty("label");
  expect(() => session.appendLabelChange("nobody", "x")).toThrow("Entry nobody not found");
});

test("the last name counts, cleaned of line breaks; an empty one takes it away", () => {
  const session = SessionManager.inMemory("/project");
  expect(session.getSessionName()).toBeUndefined();
  session.appendSessionInfo(" one\r\ntwo ");
  expect(session.getSessionName()).toBe("one two");
  session.appendSessionInfo("three");
  expect(session.getSessionName()).toBe("three");
  session.appendSessionInfo(" ");
  expect(session.getSessionName()).toBeUndefined();
});

test("a compaction may keep nothing", () => {
  const session = SessionManager.inMemory("/project");
  session.appendMessage(user("one"));
  const id = session.appendCompaction("all of it", null, 10);
  expect(session.getEntry(id)).toMatchObject({ firstKeptEntryId: id });
  expect(session.buildSessionContext().messages.map(({ role }) => role)).toEqual(["compactionSummary"]);
});

test("a fork or a move lands before what the user said, and gives the words back", () => {
  const session = SessionManager.inMemory("/project");
  const first = session.getEntry(session.appendMessage(user("one")));
  const second = session.getEntry(session.appendMessage(assistant("two")));
  const third = session.getEntry(
    session.appendMessage({
      ...user(""),
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    }),
  );
  const note = session.getEntry(session.appendCustomMessageEntry("note", "hello", true));
  if (!first || !second || !third || !note) throw new Error("no entries");
  expect(forkLanding(first)).toEqual({ leafId: null, text: "one" });
  expect(forkLanding(third)).toEqual({ leafId: second.id, text: "ab" });
  expect(forkLanding(second)).toBeUndefined();
  expect(forkLanding(undefined)).toBeUndefined();
  expect(forkLanding(second, "at")).toEqual({ leafId: second.id });
  expect(treeLanding(third)).toEqual({ leafId: second.id, text: "ab" });
  expect(treeLanding(note)).toEqual({ leafId: third.id, text: "hello" });
  expect(treeLanding(second)).toEqual({ leafId: second.id });
});

test("a branched session is a file of one path, with the labels that belong to it", () => {
  const folder = scratch();
  const session = SessionManager.create("/project", folder);
  const first = session.appendMessage(user("one"));
  const label = session.appendLabelChange(first, "here");
  const second = session.appendMessage(assistant("two"));
  const left = session.appendMessage(user("left"));
  session.branch(second);
  const right = session.appendMessage(user("right"));
  session.appendLabelChange(left, "not on the path");
  session.appendLabelChange(right, "there");
  const old = session.getSessionFile();
  const oldLines = linesOf(old ?? "");

  const path = session.createBranchedSession(right);
  const lines = linesOf(path ?? "");
  expect(lines[0]).toMatchObject({
    type: "session",
    version: 3,
    cwd: "/project",
    parentSession: old,
    id: session.getSessionId(),
  });
  expect(lines.slice(1, 4).map((line) => [line.id, line.parentId])).toEqual([
    [first, null],
    [second, first],
    [right, second],
  ]);
  expect(lines.slice(4).map((line) => [line.type, line.targetId, line.label])).toEqual([
    ["label", first, "here"],
    ["label", right, "there"],
  ]);
  expect(lines[4].id).not.toBe(label);
  expect(lines[5].parentId).toBe(lines[4].id);
  expect(session.getSessionFile()).toBe(path);
  expect(session.getLabel(right)).toBe("there");
  session.appendMessage(user("on"));
  expect(linesOf(path ?? "")).toHaveLength(7);
  expect(linesOf(old ?? "")).toEqual(oldLines);
  expect(() => session.createBranchedSession("nobody")).toThrow("Entry nobody not found");
});

test("a compaction that kept from a label on keeps from the entry after it in a branched session", () => {
  const session = SessionManager.create("/project", scratch());
  const first = session.appendMessage(user("one"));
  const label = session.appendLabelChange(first, "here");
  const second = session.appendMessage(assistant("two"));
  session.appendCompaction("so far", label, 10);
  const before = session.buildSessionContext().messages;
  session.createBranchedSession(session.getLeafId() ?? "");
  expect(session.getEntries().find(({ type }) => type === "compaction")).toMatchObject({ firstKeptEntryId: second });
  expect(session.buildSessionContext().messages).toEqual(before);
});

test("a branched session is written at once where it has a prompt, and else waits for one", () => {
  const session = SessionManager.create("/project", scratch());
  const first = session.appendMessage(user("one"));
  session.appendMessage(assistant("two"));
  const path = session.createBranchedSession(first) ?? "";
  expect(linesOf(path).map((line) => line.type)).toEqual(["session", "message"]);
  session.appendMessage(assistant("other"));
  expect(linesOf(path).map((line) => line.type)).toEqual(["session", "message", "message"]);

  const silent = SessionManager.create("/project", scratch());
  const name = silent.appendSessionInfo("named");
  const other = silent.createBranchedSession(name) ?? "";
  expect(existsSync(other)).toBe(false);
  silent.appendMessage(user("said"));
  expect(linesOf(other).map((line) => line.type)).toEqual(["session", "session_info", "message"]);
});

test("in memory a branched session replaces the old one", () => {
  const session = SessionManager.inMemory("/project");
  const first = session.appendMessage(user("one"));
  session.appendMessage(user("two"));
  const id = session.getSessionId();
  expect(session.createBranchedSession(first)).toBeUndefined();
  expect(session.getEntries().map((entry) => entry.id)).toEqual([first]);
  expect(session.getSessionId()).not.toBe(id);
  expect(session.getHeader()).not.toHaveProperty("parentSession");
});

test("a session can be taken over whole into another working directory", () => {
  const folder = scratch();
  const session = SessionManager.create("/project", folder);
  session.appendMessage(user("one"));
  session.appendMessage(assistant("two"));
  const fork = SessionManager.forkFrom(session.getSessionFile() ?? "", "/other", join(folder, "elsewhere"));
  expect(fork.getHeader()).toMatchObject({ cwd: "/other", parentSession: session.getSessionFile() });
  expect(fork.getCwd()).toBe("/other");
  expect(fork.getSessionId()).not.toBe(session.getSessionId());
  expect(fork.getEntries()).toEqual(session.getEntries());
  fork.appendMessage(user("three"));
  expect(linesOf(fork.getSessionFile() ?? "")).toHaveLength(4);
  expect(() => SessionManager.forkFrom(join(folder, "nothing.jsonl"), "/other")).toThrow(/ENOENT/);
});

test("a new session begins empty in the same folder", () => {
  const session = SessionManager.create("/project", scratch());
  session.appendMessage(assistant("one"));
  const old = session.getSessionFile();
  const path = session.newSession({ id: "mine", ...(old !== undefined && { parentSession: old }) });
  expect(path).toMatch(/_mine\.jsonl$/);
  expect(session.getEntries()).toEqual([]);
  expect(session.getLeafId()).toBeNull();
  expect(session.getHeader()).toMatchObject({ id: "mine", parentSession: old });
  expect(() => session.newSession({ id: "../escape" })).toThrow("Session id must be non-empty");
});

test("a session can become the one in another file", () => {
  const folder = scratch();
  const other = SessionManager.create("/other", folder);
  other.appendMessage(assistant("there"));
  other.close();
  const session = SessionManager.create("/project", folder);
  session.setSessionFile(other.getSessionFile() ?? "");
  expect(session.getCwd()).toBe("/other");
  expect(session.getSessionId()).toBe(other.getSessionId());
  expect(session.buildSessionContext().messages).toEqual([assistant("there")]);
});

test("a handler's view reads the present state and cannot write", () => {
  const session = SessionManager.inMemory("/project");
  const view = readonlyView(session);
  const first = session.appendMessage(user("one"));
  expect(view.getLeafId()).toBe(first);
  expect(view.getBranch()).toEqual(session.getBranch());
  expect(view.buildSessionContext()).toEqual(session.buildSessionContext());
  expect(Object.keys(view).filter((name) => /^(append|branch|reset|close|flush|create|newSession)/.test(name))).toEqual(
    [],
  );
  expect(Object.isFrozen(view)).toBe(true);
});

test("what a reader does with the lists it got does not reach the session", () => {
  const session = SessionManager.inMemory("/project");
  const first = session.appendMessage(user("one"));
  session.getEntries().length = 0;
  session.getBranch().length = 0;
  session.getChildren(first).push(session.getLeafEntry() as never);
  session.getTree()[0]?.children.push(session.getTree()[0] as never);
  expect(session.getEntries()).toHaveLength(1);
  expect(session.getChildren(first)).toEqual([]);
  expect(session.getTree()[0]?.children).toEqual([]);
});
