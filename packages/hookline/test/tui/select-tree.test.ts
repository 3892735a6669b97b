import { beforeEach, describe, expect, test } from "vitest";
import { SessionManager } from "../../src/session/session.ts";
import { chooseTreeEntry, type TreeSource } from "../../src/tui/select/tree.ts";
import { themeNamed, useTheme } from "../../src/tui/theme/current.ts";
import { ALL_HOSTILE, DialogScreen, harmDone } from "../support/dialog.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

beforeEach(() => useTheme(themeNamed("dark") as never));

const user = (content: string): any => ({ role: "user", content, timestamp: 1 });
const reply = (text: string, calls: readonly string[] = []): any => ({
  role: "assistant",
  content: [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map((name) => ({ type: "toolCall", id: `call-${name}`, name, arguments: {} })),
  ],
  timestamp: 1,
});
const result = (toolName: string, text: string): any => ({
  role: "toolResult",
  toolCallId: `call-${toolName}`,
  toolName,
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 1,
});

/** A question, two branches after its answer, the session at the end of the second. */
function talk() {
  const store = SessionManager.inMemory("/work");
  store.appendModelChange("local", "qwen3");
  const first = store.appendMessage(user("Fix the parser of dates"));
  store.appendMessage(reply("", ["read"]));
  store.appendMessage(result("read", "export function parse() {}"));
  const fork = store.appendMessage(reply("The month is off by one."));
  const left = store.appendMessage(user("Rewrite it with a library"));
  store.appendMessage(reply("That needs a new dependency."));
  store.branch(fork);
  store.appendMessage(user("Only mend the month"));
  const last = store.appendMessage(reply("Done."));
  return { store, first, fork, left, last };
}

function source(store: SessionManager): TreeSource {
  return {
    leafId: store.getLeafId(),
    roots: () => store.getTree(),
    path: () => store.getBranch().map(({ id }) => id),
    setLabel: (id, label) => void store.appendLabelChange(id, label),
    left: (targetId) => (targetId === store.getLeafId() ? 0 : 2),
  };
}

describe("/tree", () => {
  test("shows both branches below their point, and where the session is, at 80×24", async () => {
    const { store } = talk();
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), SMALL);
    expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── The session's tree ────────────────────────────────────────── conversation ──
      >
        • user: Fix the parser of dates
        ▾ assistant: The month is off by one.
          ▾ user: Rewrite it with a library
          · assistant: That needs a new dependency.
          ▾ user: Only mend the month
      →   • assistant: Done. ← here
       ↑↓ move · enter go there · ←→ fold · ctrl+l label · ctrl+o view · esc close
      "
    `);
  });

  test("everything, at 120×40", async () => {
    const { store } = talk();
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), LARGE);
    dialog.terminal.press("ctrl+o", "ctrl+o", "ctrl+o");
    expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── The session's tree ──────────────────────────────────────────────────────────────────────────────────── everything ──
      >
        • model: local/qwen3
        • user: Fix the parser of dates
        • assistant: calls read
        • toolResult: read export function parse() {}
        ▾ assistant: The month is off by one.
          ▾ user: Rewrite it with a library
          · assistant: That needs a new dependency.
          ▾ user: Only mend the month
      →   • assistant: Done. ← here
       ↑↓ move · enter go there · ←→ fold · ctrl+l label · ctrl+o view · esc close
      "
    `);
  });

  test("left folds a branch and says how much it hides, right opens it", async () => {
    const { store } = talk();
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), SMALL);
    dialog.terminal.press("home", "down", "left");
    const folded = await dialog.shows();
    expect(folded).toContain("→ ▸ assistant: The month is off by one. (4 more)");
    expect(folded).not.toContain("Only mend the month");
    dialog.terminal.press("right");
    expect(await dialog.shows()).toContain("Only mend the month");
  });

  test("a label is written, seen, found by its view and taken away", async () => {
    const { store, first } = talk();
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), SMALL);
    dialog.terminal.press("home", "ctrl+l");
    expect(await dialog.shows()).toContain("A label for: user: Fix the parser of dates");
    dialog.terminal.type("start");
    dialog.terminal.press("enter");
    expect(await dialog.shows()).toContain("[start] user: Fix the parser");
    expect(store.getLabel(first)).toBe("start");
    dialog.terminal.press("ctrl+o", "ctrl+o");
    const labelled = await dialog.shows();
    expect(labelled).toContain("labelled");
    expect(labelled).not.toContain("month");
    dialog.terminal.press("ctrl+l", "ctrl+u", "enter");
    expect(await dialog.shows()).toContain("There is nothing to show in this view.");
    expect(store.getLabel(first)).toBeUndefined();
  });

  test("going elsewhere asks for a summary; escape leads back to the tree", async () => {
    const { store, left } = talk();
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), SMALL);
    dialog.terminal.type("library");
    dialog.terminal.press("enter");
    expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── Summarise the branch that you are leaving? 2 entries are left behind ────────
      → No summary
        Summarise it
        Summarise it, and say what to keep
       ↑↓ move · enter take · esc close
      "
    `);
    dialog.terminal.press("escape");
    expect(await dialog.shows()).toContain("The session's tree");
    dialog.terminal.press("enter", "down", "enter");
    expect(dialog.answers).toEqual([{ targetId: left, summarize: true }]);
  });

  test("a summary may be told what to keep; escape there leads back to the choice", async () => {
    const { store, left } = talk();
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), SMALL);
    dialog.terminal.type("library");
    dialog.terminal.press("enter", "up", "enter", "escape");
    expect(await dialog.shows()).toContain("Summarise the branch that you are leaving?");
    dialog.terminal.press("enter");
    dialog.terminal.type("the numbers");
    dialog.terminal.press("enter");
    expect(dialog.answers).toEqual([{ targetId: left, summarize: true, customInstructions: "the numbers" }]);
  });

  test("going where the session is asks nothing", async () => {
    const { store, last } = talk();
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), SMALL);
    dialog.terminal.press("enter");
    expect(dialog.answers).toEqual([{ targetId: last, summarize: false }]);
  });

  test("an empty session", async () => {
    using dialog = new DialogScreen(chooseTreeEntry(source(SessionManager.inMemory("/work"))), SMALL);
    expect(await dialog.shows()).toContain("There is nothing to show in this view.");
    dialog.terminal.press("enter", "left", "right", "ctrl+l", "escape");
    expect(dialog.answers).toEqual([undefined]);
  });

  test("ten thousand entries and a branch at each hundredth", async () => {
    const store = SessionManager.inMemory("/work");
    for (let at = 0; at < 10_000; at++) {
      const id = store.appendMessage(at % 2 === 0 ? user(`Question ${at}`) : reply(`Answer ${at}`));
      if (at % 100 === 99) {
        store.appendMessage(user(`Aside ${at}`));
        store.branch(id);
      }
    }
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), SMALL);
    expect(await dialog.shows()).toContain("Answer 9999");
    dialog.terminal.press("home");
    expect(await dialog.shows()).toContain("1 of 10100");
    const before = dialog.terminal.writtenLength;
    dialog.terminal.press("down");
    await dialog.shows();
    expect(dialog.terminal.writtenLength - before).toBeLessThan(80 * 24 * 4);
  });

  test("hostile messages and labels", async () => {
    const store = SessionManager.inMemory("/work");
    const id = store.appendMessage(user(ALL_HOSTILE));
    store.appendLabelChange(id, ALL_HOSTILE);
    using dialog = new DialogScreen(chooseTreeEntry(source(store)), LARGE);
    await dialog.shows();
    dialog.terminal.press("ctrl+l");
    await dialog.shows();
    dialog.terminal.paste(ALL_HOSTILE);
    await dialog.shows();
    expect(harmDone(dialog.terminal)).toEqual([]);
  });
});
