import { beforeEach, describe, expect, test } from "vitest";
import { chooseSession, type ListedSession, type SessionSource } from "../../src/tui/select/sessions.ts";
import { chooseContext, chooseFork } from "../../src/tui/select/simple.ts";
import { themeNamed, useTheme } from "../../src/tui/theme/current.ts";
import { ALL_HOSTILE, DialogScreen, harmDone } from "../support/dialog.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

beforeEach(() => useTheme(themeNamed("dark") as never));

const NOW = Date.parse("2026-05-10T12:00:00Z");

function session(id: string, firstMessage: string, minutesAgo: number, more: Partial<ListedSession> = {}) {
  return {
    path: `/sessions/${id}.jsonl`,
    id,
    cwd: "/work/project",
    firstMessage,
    modified: new Date(NOW - minutesAgo * 60_000),
    messageCount: 12,
    ...more,
  };
}

const HERE = [
  session("a1", "Fix the parser of dates", 5),
  session("b2", "Why does the build fail on Windows?", 180, { name: "windows build", messageCount: 1 }),
  session("c3", "Write the docs\nfor hooks", 60 * 24 * 3),
];
const ALL = [...HERE, session("d4", "Another folder's talk", 60 * 24 * 30, { cwd: "/work/elsewhere" })];

function source(more: Partial<SessionSource> = {}): SessionSource {
  return {
    current: "/sessions/a1.jsonl",
    now: () => NOW,
    list: async (scope) => (scope === "folder" ? HERE : ALL),
    ...more,
  };
}

describe("/resume", () => {
  test("shows this folder's sessions at 80×24", async () => {
    using dialog = new DialogScreen(chooseSession(source()), SMALL);
    expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── Resume a session ──────────────────────────────────────── 3 in this folder ──
      >
      → Fix the parser of dates ✓                              12 messages · 5 min ago
        windows build                                              1 message · 3 h ago
        Write the docs for hooks                              12 messages · 3 days ago
       ↑↓ move · enter open · tab this folder or all · ctrl+f search what was said
      "
    `);
  });

  test("tab shows all folders at 120×40, and again this one", async () => {
    using dialog = new DialogScreen(chooseSession(source()), LARGE);
    dialog.terminal.press("tab");
    expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── Resume a session ──────────────────────────────────────────────────────────────────────────────── 4 in all folders ──
      >
      → Fix the parser of dates ✓                                                            project · 12 messages · 5 min ago
        windows build                                                                            project · 1 message · 3 h ago
        Write the docs for hooks                                                            project · 12 messages · 3 days ago
        Another folder's talk                                                             elsewhere · 12 messages · 2026-04-10
       ↑↓ move · enter open · tab this folder or all · ctrl+f search what was said · esc close
      "
    `);
    dialog.terminal.press("tab");
    expect(await dialog.shows()).not.toContain("elsewhere");
  });

  test("typing searches names, first messages, ids and folders", async () => {
    using dialog = new DialogScreen(chooseSession(source()));
    await dialog.shows();
    for (const [query, found] of [
      ["windows", "windows build"],
      ["c3", "Write the docs for hooks"],
      ["dates", "Fix the parser"],
    ] as const) {
      dialog.terminal.press("ctrl+u");
      dialog.terminal.type(query);
      expect(await dialog.shows()).toContain(`→ ${found}`);
    }
    dialog.terminal.press("enter");
    expect(dialog.answers).toEqual(["/sessions/a1.jsonl"]);
  });

  test("ten thousand sessions are listed as they are read, and drawn by the screen", async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => session(`s${at}`, `Talk ${at}`, at));
    let finish: () => void = () => {};
    const slow = source({
      async list(_scope, { onProgress }) {
        onProgress(4200, 10_000);
        await new Promise<void>((done) => (finish = done));
        return many;
      },
    });
    using dialog = new DialogScreen(chooseSession(slow), SMALL);
    expect(await dialog.shows()).toContain("reading 4200 of 10000");
    finish();
    expect(await dialog.shows()).toContain("1 of 10000");
    const before = dialog.terminal.writtenLength;
    dialog.terminal.press("end");
    expect(await dialog.shows()).toContain("→ Talk 9999");
    expect(dialog.terminal.writtenLength - before).toBeLessThan(80 * 24 * 4);
  });

  test("unreadable sessions are reported; a closed dialog stops reading", async () => {
    const signals: AbortSignal[] = [];
    const broken = source({
      async list(_scope, { signal }) {
        signals.push(signal);
        throw new Error("no such folder");
      },
    });
    const dialog = new DialogScreen(chooseSession(broken), SMALL);
    expect(await dialog.shows()).toContain("not readable: no such folder");
    dialog.terminal.press("enter");
    expect(dialog.answers).toEqual([]);
    dialog[Symbol.dispose]();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("ctrl+f looks through everything that was said; other words search the names again", async () => {
    const said = (info: ReturnType<typeof session>, allMessagesText: string) => ({ ...info, allMessagesText });
    const list = async () => [said(HERE[0] as never, "the Month is off by one"), said(HERE[1] as never, "nothing")];
    using dialog = new DialogScreen(chooseSession(source({ list })), LARGE);
    await dialog.shows();
    dialog.terminal.press("ctrl+f");
    expect(await dialog.shows()).toContain("type what to look for first");
    dialog.terminal.type("month off");
    expect(await dialog.shows()).toContain("Nothing matches");
    dialog.terminal.press("ctrl+f");
    const found = await dialog.terminal.until("1 session in which it was said");
    expect(found).toContain("→ Fix the parser of dates");
    dialog.terminal.press("ctrl+u");
    dialog.terminal.type("windows");
    expect(await dialog.shows()).toContain("→ windows build");
    expect(await dialog.shows()).not.toContain("in which it was said");
  });

  test("no session at all, and hostile ones", async () => {
    using empty = new DialogScreen(chooseSession(source({ list: async () => [] })), SMALL);
    expect(await empty.shows()).toContain("There is no session.");
    const evil = session("e", ALL_HOSTILE, 1, { name: ALL_HOSTILE, cwd: ALL_HOSTILE });
    using hostile = new DialogScreen(chooseSession(source({ list: async () => [evil] })), LARGE);
    hostile.terminal.press("tab");
    expect(await hostile.shows()).toContain("␛]0;owned␇");
    expect(harmDone(hostile.terminal)).toEqual([]);
  });
});

test("/fork shows the person's messages", async () => {
  const points = [
    { entryId: "2", text: "And now the tests\nplease" },
    { entryId: "1", text: "Fix the parser" },
    { entryId: "0", text: "" },
  ];
  using dialog = new DialogScreen(chooseFork(points), SMALL);
  expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
    "
    ── Fork before a message ───────────────────────────────────────────────────────
    >
    → And now the tests please                                                     1
      Fix the parser                                                               2
      (no text)                                                                    3
     ↑↓ move · enter fork · esc close
    "
  `);
  dialog.terminal.press("down", "enter");
  expect(dialog.answers).toEqual(["1"]);
  using empty = new DialogScreen(chooseFork([]), SMALL);
  expect(await empty.shows()).toContain("There is no message to fork before.");
});

test("/context shows the contexts and offers a new one", async () => {
  using dialog = new DialogScreen(chooseContext(["default", "release", ALL_HOSTILE], "default"), SMALL);
  dialog.terminal.press("down", "down");
  await dialog.shows();
  expect(harmDone(dialog.terminal)).toEqual([]);
  dialog.terminal.press("down", "enter");
  expect(dialog.answers).toEqual([{ kind: "new" }]);
});
