import { describe, expect, test } from "vitest";
import { buildSessionContext } from "../../src/session/context.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { SessionManager } from "../../src/session/session.ts";
import { assistant, result, user } from "./talk.ts";

const timestamp = "2025-01-01T00:00:00.000Z";
const time = Date.parse(timestamp);

/** A chain of entries e0, e1, … */
function chain(...fields: object[]): SessionEntry[] {
  return fields.map((entry, index) => ({
    id: `e${index}`,
    parentId: index === 0 ? null : `e${index - 1}`,
    timestamp,
    ...entry,
  })) as SessionEntry[];
}

const said = (text: string) => ({ type: "message", message: user(text) });
const answered = (text: string, model = "m1") => ({ type: "message", message: assistant(text, [], model) });

describe("which leaf", () => {
  const entries = chain(said("one"), answered("two"), said("three"));

  test("null is before the first entry", () => {
    expect(buildSessionContext(entries, null)).toEqual({ messages: [], thinkingLevel: "off", model: null });
  });

  test("a missing or unknown leaf is the last entry", () => {
    const whole = entries.map((entry) => (entry as any).message);
    expect(buildSessionContext(entries).messages).toEqual(whole);
    expect(buildSessionContext(entries, "nobody").messages).toEqual(whole);
    expect(buildSessionContext([], "nobody").messages).toEqual([]);
  });

  test("only the path to the leaf counts", () => {
    const branches = [...entries, { ...chain(said("other"))[0], id: "x", parentId: "e0" } as SessionEntry];
    expect(buildSessionContext(branches, "x").messages).toEqual([user("one"), user("other")]);
    expect(buildSessionContext(branches, "e1").messages).toHaveLength(2);
  });

  test("a parent that is missing begins the path", () => {
    expect(buildSessionContext(entries.slice(1), "e2").messages).toHaveLength(2);
  });
});

describe("settings", () => {
  test("the last thinking level counts; off if there is none", () => {
    const level = (thinkingLevel: string) => ({ type: "thinking_level_change", thinkingLevel });
    expect(buildSessionContext(chain(said("x"))).thinkingLevel).toBe("off");
    expect(buildSessionContext(chain(level("high"), said("x"), level("low"))).thinkingLevel).toBe("low");
  });

  test("the model is that of the last change or answer, whichever is later", () => {
    const change = { type: "model_change", provider: "p2", modelId: "m2" };
    expect(buildSessionContext(chain(answered("x"), change)).model).toEqual({ provider: "p2", modelId: "m2" });
    expect(buildSessionContext(chain(change, answered("x", "m3"))).model).toEqual({ provider: "p1", modelId: "m3" });
  });

  test("settings from before a compaction still count", () => {
    const entries = chain({ type: "thinking_level_change", thinkingLevel: "high" }, answered("x"), said("y"), {
      type: "compaction",
      summary: "s",
      firstKeptEntryId: "e2",
      tokensBefore: 1,
    });
    expect(buildSessionContext(entries)).toMatchObject({
      thinkingLevel: "high",
      model: { provider: "p1", modelId: "m1" },
    });
  });
});

describe("compaction", () => {
  const compaction = (firstKeptEntryId: string, summary = "so far") => ({
    type: "compaction",
    summary,
    firstKeptEntryId,
    tokensBefore: 99,
  });
  const summary = (text: string) => ({ role: "compactionSummary", summary: text, tokensBefore: 99, timestamp: time });

  test("is its summary, what is kept before it, what comes after it", () => {
    const entries = chain(said("0"), answered("1"), said("2"), compaction("e2"), answered("4"));
    expect(buildSessionContext(entries).messages).toEqual([summary("so far"), user("2"), assistant("4")]);
  });

  test("only the last one on the path counts, and earlier ones in the kept range say nothing", () => {
    const entries = chain(said("0"), compaction("e0", "first"), said("2"), compaction("e0", "second"), said("4"));
    expect(buildSessionContext(entries).messages).toEqual([summary("second"), user("0"), user("2"), user("4")]);
    expect(buildSessionContext(entries, "e2").messages).toEqual([summary("first"), user("0"), user("2")]);
  });

  test("that names itself, or an entry that is not before it, keeps nothing", () => {
    for (const kept of ["e2", "e3", "nobody"]) {
      const entries = chain(said("0"), said("1"), compaction(kept), said("3"));
      expect(buildSessionContext(entries).messages).toEqual([summary("so far"), user("3")]);
    }
  });
});

describe("what an entry adds", () => {
  test("custom messages and summaries of branches are messages, empty summaries and state are not", () => {
    const entries = chain(
      { type: "custom_message", customType: "note", content: "hello", display: false, details: { n: 1 } },
      { type: "branch_summary", fromId: "e0", summary: "went left" },
      { type: "branch_summary", fromId: "e0", summary: "" },
      { type: "custom", customType: "state", data: 1 },
      { type: "label", targetId: "e0", label: "x" },
      { type: "session_info", name: "x" },
      { type: "usage", kind: "cache_warm", provider: "p", model: "m", usage: {} },
      { type: "from_the_future", message: user("not yet") },
    );
    expect(buildSessionContext(entries).messages).toEqual([
      { role: "custom", customType: "note", content: "hello", display: false, details: { n: 1 }, timestamp: time },
      { role: "branchSummary", summary: "went left", fromId: "e0", timestamp: time },
    ]);
  });

  test("messages without content have none, instead of breaking what reads them", () => {
    const entries = chain(
      { type: "message", message: { ...user("x"), content: null } },
      { type: "message", message: { role: "assistant" } },
    );
    expect(buildSessionContext(entries).messages.map((message: any) => message.content)).toEqual([[], []]);
  });

  test("system messages of other programs are left out", () => {
    const entries = chain(
      { type: "message", message: { role: "system", content: "you are", timestamp: 1 } },
      said("x"),
    );
    expect(buildSessionContext(entries).messages).toEqual([user("x")]);
  });
});

describe("context edits", () => {
  test("replace or remove what one entry shows, the last edit on the path winning", () => {
    const session = SessionManager.inMemory("/project");
    const first = session.appendMessage(user("secret"));
    const second = session.appendMessage(assistant("noted", ["c1"]));
    const third = session.appendMessage(result("c1"));
    session.appendContextEdit(first, { content: "[removed]" });
    session.appendContextEdit(third, null);
    const before = session.getLeafId() ?? "";
    session.appendContextEdit(second, { content: "as text" });
    session.appendContextEdit(first, { content: "[gone]" });
    expect(session.buildSessionContext().messages).toEqual([
      user("[gone]"),
      { ...assistant("noted", ["c1"]), content: [{ type: "text", text: "as text" }] },
    ]);
    session.branch(before);
    expect(session.buildSessionContext().messages).toEqual([user("[removed]"), assistant("noted", ["c1"])]);
    expect(session.getEntry(first)).toMatchObject({ message: user("secret") });
  });

  test("are refused where they could not show", () => {
    const session = SessionManager.inMemory("/project");
    const first = session.appendMessage(user("one"));
    const label = session.appendLabelChange(first, "x");
    session.branch(first);
    expect(() => session.appendContextEdit("nobody", null)).toThrow("Entry nobody not found");
    expect(() => session.appendContextEdit(label, null)).toThrow(`Entry ${label} is not on the active branch`);
    session.branch(label);
    expect(() => session.appendContextEdit(label, null)).toThrow(
      `Entry ${label} does not contribute editable model content`,
    );
    expect(() => session.appendContextEdit(first, {} as never)).toThrow(
      "Context edit replacement must be null or contain",
    );
    expect(session.getEntries()).toHaveLength(2);
  });
});

test("a projection says which entry each message came from", () => {
  const session = SessionManager.inMemory("/project");
  const first = session.appendMessage(user("one"));
  const state = session.appendCustomEntry("state");
  const { entries, messages } = session.buildSessionProjection();
  expect(entries.map(({ sourceEntry, messages: own }) => [sourceEntry.id, own.length])).toEqual([
    [first, 1],
    [state, 0],
  ]);
  expect(messages).toEqual([user("one")]);
  expect(session.buildContextEntries().map(({ id }) => id)).toEqual([first, state]);
  expect(Object.keys(session.buildSessionContext()).sort()).toEqual(["messages", "model", "thinkingLevel"]);
});
