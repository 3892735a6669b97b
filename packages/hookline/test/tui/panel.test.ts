import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { addPanel } from "../../src/tui/panel/commands.ts";
import type { TrustItem, TrustSheet } from "../../src/tui/panel/panel-source.ts";
import { type ConsentParts, consentDialog } from "../../src/tui/panel/trust-dialog.ts";
import { themeNamed, useTheme } from "../../src/tui/theme/current.ts";
import { Desk } from "../authors/desk.ts";
import { ALL_HOSTILE, DialogScreen, harmDone } from "../support/dialog.ts";
import { GUARDED_REPLIES, guardedProject, JCLI_HOOKS } from "../support/guarded-project.ts";
import { type Running, runAgent } from "../support/running.ts";
import { Shown } from "../support/shown.ts";
import { LARGE, SMALL, type TerminalSize } from "../support/terminal.ts";

beforeEach(() => useTheme(themeNamed("dark") as never));

interface OpenPanel extends Running {
  readonly screen: Shown;
  /** How often the panel has ended the agent. */
  quits(): number;
}

async function panel(desk: Desk, command: string, size: TerminalSize, more: object = {}): Promise<OpenPanel> {
  const running = await runAgent(desk, { replies: GUARDED_REPLIES, args: ["--allow-broken-hooks"], ...more });
  const screen = new Shown(size);
  const { activity, env, assembled } = running;
  let quits = 0;
  addPanel(assembled, { show: screen.show, quit: () => void (quits += 1), activity, env });
  if (command === "/hooks after a prompt") await assembled.agent.prompt("go");
  void assembled.agent.prompt(command.split(" ")[0] as string);
  while (screen.dialogs.length === 0) await new Promise(setImmediate);
  // The panel never gets lower than a frame that it has drawn, so the first one is drawn before any key is pressed.
  await screen.last.shows();
  return {
    ...running,
    screen,
    quits: () => quits,
    async [Symbol.asyncDispose]() {
      screen[Symbol.dispose]();
      await running[Symbol.asyncDispose]();
    },
  };
}

/** Times are what they are on this machine. */
function timeless(screen: string): string {
  return `\n${screen
    .replace(/\d\d:\d\d:\d\d/g, "HH:MM:SS")
    .replace(/ +<?\d+(\.\d+)? m?s\b/g, (text) => "N ms".padStart(text.length))
    .replace(/(tool\.\w+(?: \([^)]*\))?) +N ms$/gm, "$1  N ms")
    .replace(/^[ ▇]{24} *N ms/gm, "▇ N ms")}\n`;
}

describe("Loaded", () => {
  test("says what runs and what does not, and why, at 80×24", async () => {
    await using open = await panel(guardedProject(), "/hooks", SMALL);
    expect(`\n${await open.screen.last.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── Hooks [Loaded] Activity  Metrics  Event  ──────── 4 found, 2 run, 2 do not ──
      → ? jcli project      .jcli/hooks.yaml:2                               untrusted
        ✓ pi user           ~/.pi/agent/extensions/guard.ts                  tool_call
        ✓ pi user           ~/.pi/agent/extensions/notes.ts     tool_call, tool_result
        ✗ pi user           ~/.pi/agent/extensions/torn.ts                      broken

       .jcli/hooks.yaml:2 is not run: this project's hooks have not been approved
       ↑↓ move · enter why · a review · r reload · tab next tab · esc close
      "
    `);
  });

  test("at 120×40", async () => {
    await using open = await panel(guardedProject(), "/hooks", LARGE);
    expect(`\n${await open.screen.last.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── Hooks [Loaded] Activity  Metrics  Event  ──────────────────────────────────────────────── 4 found, 2 run, 2 do not ──
      → ? jcli project      .jcli/hooks.yaml:2                                                                       untrusted
        ✓ pi user           ~/.pi/agent/extensions/guard.ts                                                          tool_call
        ✓ pi user           ~/.pi/agent/extensions/notes.ts                                             tool_call, tool_result
        ✗ pi user           ~/.pi/agent/extensions/torn.ts                                                              broken

       .jcli/hooks.yaml:2 is not run: this project's hooks have not been approved
       ↑↓ move · enter why · a review · r reload · tab next tab · esc close
      "
    `);
  });

  test("enter shows everything about one; escape goes back, then closes", async () => {
    await using open = await panel(guardedProject(), "/hooks", LARGE);
    const { last } = open.screen;
    last.terminal.press("end", "enter");
    const page = await last.shows();
    expect(page).toContain("broken");
    expect(page).toContain("what to do");
    last.terminal.press("escape");
    expect(await last.shows()).toContain("guard.ts");
    last.terminal.press("escape");
    expect(last.answers).toEqual([undefined]);
  });

  test.each(["", "tab", "enter"])("ctrl+d ends the agent from the panel, also after %j", async (key) => {
    await using open = await panel(guardedProject(), "/hooks", SMALL);
    const { last } = open.screen;
    if (key !== "") last.terminal.press(key as "tab");
    last.terminal.press("ctrl+d");
    expect([open.quits(), last.answers]).toEqual([1, [undefined]]);
  });

  test("a hook that is a command shows it", async () => {
    await using open = await panel(guardedProject(), "/hooks", SMALL);
    const { last } = open.screen;
    last.terminal.press("home", "enter");
    expect(await last.shows()).toMatch(/^command +echo "\{\}"$/m);
  });

  test("a waiting definition is read to its end, approved in place, and runs", async () => {
    await using open = await panel(guardedProject(), "/hooks", SMALL);
    const { last } = open.screen;
    last.terminal.press("home");
    last.terminal.type("a");
    const review = await last.terminal.until("not approved yet");
    expect(review).toContain('echo \\"{}\\"');
    last.terminal.press("end");
    await last.terminal.until("y approve exactly this");
    last.terminal.type("y");
    await last.terminal.until("Approved.");
    const trust = JSON.parse(readFileSync(join(open.assembled.place.hooklineHome, "trust.json"), "utf8"));
    expect(trust.entries).toHaveLength(1);
    expect(await last.shows()).toContain("✓ jcli project");
    expect(open.assembled.hooks.report.summary.runs).toBe(3);
  });

  test("a long definition cannot be approved before its end was shown, and no part of it is cut", async () => {
    const desk = guardedProject();
    const long = Array.from({ length: 60 }, (_, at) => `// line ${at}`).join("\n");
    const odd = `// a\u200bb\tc\u202e${ALL_HOSTILE.replace(/[\r\n]/g, "")}\r`;
    desk.write(
      ".pi/extensions/long.ts",
      `// ${"x".repeat(200)} the end\n${odd}\n${long}\nexport default function () {}\n`,
    );
    await using open = await panel(desk, "/trust", SMALL);
    const { last } = open.screen;
    await last.terminal.until("long.ts");
    last.terminal.type("long");
    last.terminal.press("enter");
    await last.terminal.until("end see all of it to approve");
    last.terminal.type("y");
    expect(await last.shows()).toContain("There is more of it below.");
    expect(existsSync(join(desk.hooklineHome, "trust.json"))).toBe(false);
    const pages: string[] = [];
    for (let at = 0; at < 10; at++) {
      pages.push(await last.shows());
      last.terminal.press("pageDown");
    }
    const all = pages.join("\n");
    expect(all.match(/x/g)?.length).toBeGreaterThanOrEqual(200);
    expect(all).toContain("the end");
    expect(all).toContain("a<U+200B>b⇥   c<U+202E>");
    expect(all).toContain("␍");
    expect(all).toContain("// line 59");
    expect(harmDone(last.terminal)).toEqual([]);
    last.terminal.type("y");
    await last.terminal.until("Approved.");
    last.terminal.press("enter");
    await last.terminal.until("x take the approval back");
    last.terminal.type("x");
    await last.terminal.until("No longer approved.");
    expect(JSON.parse(desk.read("~/.hookline/trust.json")).entries).toEqual([]);
  });

  test("a changed file shows what changed since it was approved", async () => {
    const desk = guardedProject();
    await using open = await panel(desk, "/trust", SMALL);
    const { last } = open.screen;
    await last.terminal.until("pending");
    last.terminal.press("enter", "end");
    await last.terminal.until("y approve");
    last.terminal.type("y");
    await last.terminal.until("approved");
    last.terminal.press("escape");
    desk.write(".jcli/hooks.yaml", JCLI_HOOKS.replace("greet", "welcome"));
    void open.assembled.agent.prompt("/trust");
    while (open.screen.last === last) await new Promise(setImmediate);
    const again = open.screen.last;
    expect(await again.terminal.until("changed")).toContain("changed");
    again.terminal.press("enter");
    const review = await again.terminal.until("what changed:");
    expect(review).toMatch(/- .*greet/);
    expect(review).toMatch(/\+ .*welcome/);
  });

  test("no hook at all", async () => {
    await using open = await panel(new Desk(), "/hooks", LARGE);
    expect(await open.screen.last.shows()).toContain("No hook was found.");
    open.screen.last.terminal.press("enter");
    open.screen.last.terminal.type("a");
    open.screen.last.terminal.press("down");
    expect(await open.screen.last.shows()).toContain("\n    .jcli/hooks.yaml\n");
  });
});

describe("Activity", () => {
  test("each dispatch is a line, newest first, at 80×24", async () => {
    await using open = await panel(guardedProject(), "/hooks after a prompt", SMALL);
    const { last } = open.screen;
    last.terminal.press("tab");
    last.terminal.type("h");
    expect(timeless(await last.shows())).toMatchInlineSnapshot(`
      "
      ── Hooks  Loaded [Activity] Metrics  Event  ───── 4 dispatches, no-ops hidden ──
      → HH:MM:SS  tool_result          1 failed                       1 hook      N ms
        HH:MM:SS  tool_call            changed input                 2 hooks      N ms
        HH:MM:SS  tool_call            guard.ts:2 refused it: no rm…  1 hook      N ms



       ↑↓ move · enter open · h show all · tab next tab · esc close
      "
    `);
  });

  test("one is opened: who answered what, the edit before and after, the time of each, at 120×40", async () => {
    await using open = await panel(guardedProject(), "/hooks after a prompt", LARGE);
    const { last } = open.screen;
    last.terminal.press("tab");
    last.terminal.type("h");
    await last.terminal.until("changed input");
    last.terminal.press("down", "enter");
    expect(timeless(await last.shows())).toMatchInlineSnapshot(`
      "
      ── Hooks  Loaded [Activity] Metrics  Event  ───────────────────────────────────────────── 4 dispatches, no-ops hidden ──
      HH:MM:SS  tool.before (pi tool_call)  N ms

      ▇ N ms  ● pi  ~/.pi/agent/extensions/guard.ts:2
                                            answered {input: {command: "ls -a"}}
      ▇ N ms  ○ pi  ~/.pi/agent/extensions/notes.ts:2

      Changed
        input, by pi:~/.pi/agent/extensions/guard.ts#tool_call[0]
        - {command: "ls"}
        + {command: "ls -a"}

      Outcome: {args: {command: "ls -a"}}
       ↑↓ scroll · ←→ newer, older · esc back
      "
    `);
    last.terminal.press("right");
    expect(await last.shows()).toContain("no rm here");
  });

  test("new dispatches appear; the view of an older one stays", async () => {
    await using open = await panel(guardedProject(), "/hooks", SMALL);
    const { last } = open.screen;
    last.terminal.press("tab");
    const before = await last.shows();
    expect(before).toMatch(/→ .*session.start|No hook has been asked/);
    await open.assembled.agent.prompt("go");
    await last.terminal.until("tool_call");
    last.terminal.press("end");
    await last.shows();
    const selected = (screen: string) =>
      screen
        .split("\n")
        .find((line) => line.startsWith("→"))
        ?.slice(2, 40);
    const stood = selected(await last.shows());
    await open.assembled.agent.prompt("again");
    expect(selected(await last.shows())).toBe(stood);
  });

  test("hostile answers, edits and errors of hooks show as marks", async () => {
    const desk = new Desk();
    desk.write(
      "~/.pi/agent/extensions/evil.ts",
      `const evil = ${JSON.stringify(ALL_HOSTILE)};
export default function (pi) {
  pi.on("tool_call", async (event) => { event.input.command = evil; return { block: true, reason: evil }; });
  pi.on("input", async () => { throw new Error(evil); });
}
`,
    );
    await using open = await panel(desk, "/hooks after a prompt", LARGE);
    const { last } = open.screen;
    for (const _tab of [1, 2, 3, 4]) {
      last.terminal.press("tab");
      await last.shows();
      for (const _row of [1, 2, 3]) {
        last.terminal.press("enter");
        await last.shows();
        last.terminal.press("escape", "down");
      }
      if (last.answers.length > 0) break;
    }
    expect(harmDone(last.terminal)).toEqual([]);
    expect(open.activity.latest().some(({ outcome }) => outcome.includes("owned"))).toBe(true);
  });
});

describe("Metrics", () => {
  test("each hook's counters, the costly first; sorted by what the person chooses", async () => {
    await using open = await panel(guardedProject(), "/hooks after a prompt", LARGE);
    const { last } = open.screen;
    last.terminal.press("tab", "tab");
    last.terminal.type("s");
    const screen = await last.shows();
    expect(screen).toContain("by runs, most first");
    expect(screen).toMatch(/hook +runs +ok +failed +skipped +avg +p95 +total/);
    expect(screen).toMatch(/pi ~\/\.pi\/agent\/extensions\/guard\.ts:2 +2 +2/);
    last.terminal.type("s");
    last.terminal.type("s");
    expect(await last.shows()).toMatch(/notes\.ts:3 +1 +1 .*\n→ .*guard/);
    last.terminal.press("up");
    expect(await last.shows()).toContain("last error: ");
    expect(await last.shows()).toContain("the notes are full");
  });

  test("what a hook did in other agents stands below, for the one that is chosen", async () => {
    const desk = guardedProject();
    const counters = { ok: 3, failed: 1, timedOut: 0, failedOpen: 0, skipped: 0, blocked: 2, edits: 0, totalMs: 4 };
    const about = { dialect: "pi", tier: "user", source: "guard.ts:2", event: "tool_call", recent: [] };
    const id = `pi:${join(desk.home, ".pi/agent/extensions/guard.ts")}#tool_call[0]`;
    const row = { id, ...about, runs: 4, ...counters };
    const hooks = [
      { ...row, host: "codex" },
      { ...row, host: "gemini", runs: 1, failed: 0, blocked: 0 },
      { ...row, runs: 7 },
    ];
    desk.write("~/.hookline/stats/total.json", JSON.stringify({ version: 1, hooks, merged: [] }));
    await using open = await panel(desk, "/hooks after a prompt", LARGE);
    const { last } = open.screen;
    last.terminal.press("tab", "tab");
    const line = "in other agents: codex 4 runs, 2 refused, 1 failed; gemini 1 run";
    const seen = [await last.shows()];
    for (let n = 0; n < 3; n++) {
      last.terminal.press("down");
      seen.push(await last.shows());
    }
    expect(seen.filter((screen) => /→ .*guard\.ts/.test(screen)).join("")).toContain(line);
    expect(seen.filter((screen) => /→ .*notes\.ts/.test(screen)).join("")).not.toContain("other agents");
  });

  test("narrow screens keep the first columns", async () => {
    await using open = await panel(guardedProject(), "/hooks", { columns: 50, rows: 20 });
    const { last } = open.screen;
    last.terminal.press("tab", "tab");
    expect(await last.shows()).toMatch(/hook +runs +ok +failed$/m);
  });
});

describe("Event", () => {
  test("shows which hooks would run for an event and a tool, and why the others would not", async () => {
    await using open = await panel(guardedProject(), "/hooks", LARGE);
    const { last } = open.screen;
    last.terminal.press("tab", "tab", "tab");
    last.terminal.type("tool.before");
    last.terminal.press("enter");
    const page = await last.terminal.until("would be asked");
    expect(page).toContain("2 would be asked about tool.before");
    expect(page).toContain("1  pi  ~/.pi/agent/extensions/guard.ts");
    expect(page).toContain("untrusted:");
    expect(page).toContain("broken:");
    const tool = /sample tool: (\w+)/.exec(page)?.[1];
    last.terminal.press("right");
    expect(await last.terminal.until((screen) => !screen.includes(`sample tool: ${tool} `))).toContain("sample tool: ");
    last.terminal.press("escape");
    expect(await last.shows()).toContain("> tool.before");
  });

  test("a lane's own event", async () => {
    await using open = await panel(guardedProject(), "/hooks", SMALL);
    const { last } = open.screen;
    last.terminal.press("shift+tab");
    last.terminal.type("pi:tool_result");
    last.terminal.press("enter");
    expect(await last.terminal.until("would be asked")).toContain("1 would be asked about pi:tool_result");
  });
});

describe("consent", () => {
  const item = (path: string, act: () => void, line?: number): TrustItem => ({
    path,
    line,
    kind: "hook",
    dialect: "pi",
    bindable: undefined,
    verdict: "pending",
    text: () => [{ text: line === undefined ? `text of ${path}` : `text of ${path}:${line}` }],
    approve: async () => act(),
    revoke: async () => {},
  });
  const sheet = (path: string, items: readonly TrustItem[]): TrustSheet => ({
    ...item(path, () => {}),
    text: () => items.flatMap((one) => one.text()),
    approve: async () => {
      for (const one of items) await one.approve();
    },
    items,
  });
  const parts = (sheets: readonly TrustSheet[]): ConsentParts => ({
    sheets,
    together: (some) =>
      sheet(
        "everything",
        some.flatMap(({ items }) => items),
      ),
    path: (path) => path,
  });

  test("goes from file to file, counts what was approved, and can skip all the rest", async () => {
    const approved: string[] = [];
    const sheets = ["a.ts", "b.ts", "c.ts", "d.ts"].map((path) => sheet(path, [item(path, () => approved.push(path))]));
    using dialog = new DialogScreen(consentDialog(parts(sheets)));
    const first = await dialog.shows();
    expect(first).toContain("This project wants to run a.ts");
    expect(first).toContain("file 1 of 4");
    dialog.terminal.type("y");
    expect(await dialog.shows()).toContain("text of b.ts");
    dialog.terminal.press("escape");
    expect(await dialog.shows()).toContain("text of c.ts");
    dialog.terminal.type("l");
    expect(approved).toEqual(["a.ts"]);
    expect(dialog.answers).toEqual([1]);
  });

  test("takes the entries of a file one by one, and continues with the next file", async () => {
    const approved: string[] = [];
    const entries = [2, 4, 6].map((line) => item("hooks.yaml", () => approved.push(`hooks.yaml:${line}`), line));
    const other = sheet("b.ts", [item("b.ts", () => approved.push("b.ts"))]);
    using dialog = new DialogScreen(consentDialog(parts([sheet("hooks.yaml", entries), other])));
    expect(await dialog.shows()).toContain("hooks.yaml (3 entries)");
    dialog.terminal.type("o");
    expect(await dialog.shows()).toContain("text of hooks.yaml:2");
    dialog.terminal.press("escape");
    expect(await dialog.shows()).toContain("2 of 3");
    dialog.terminal.type("y");
    expect(await dialog.shows()).toContain("text of hooks.yaml:6");
    dialog.terminal.type("l");
    expect(await dialog.shows()).toContain("text of hooks.yaml:6");
    dialog.terminal.press("escape");
    expect(await dialog.shows()).toContain("text of b.ts");
    dialog.terminal.type("y");
    await dialog.shows();
    expect(approved).toEqual(["hooks.yaml:4", "b.ts"]);
    expect(dialog.answers).toEqual([2]);
  });

  test("shows everything that waits as one, however many files there are", async () => {
    const approved: string[] = [];
    const paths = Array.from({ length: 14 }, (_, at) => `skill-${at}.md`);
    const sheets = paths.map((path) => sheet(path, [item(path, () => approved.push(path))]));
    using dialog = new DialogScreen(consentDialog(parts(sheets)));
    await dialog.shows();
    dialog.terminal.type("a");
    expect(await dialog.shows()).toContain("add 14 things from 14 files");
    dialog.terminal.press("end");
    await dialog.terminal.until("y approve all 14");
    dialog.terminal.type("y");
    await dialog.shows();
    expect(approved).toEqual(paths);
    expect(dialog.answers).toEqual([14]);
  });

  test("a hook that computes what it starts can be bound to a folder", async () => {
    const answers: (boolean | undefined)[] = [];
    const open: TrustItem = {
      ...item("a.sh", () => {}),
      bindable: "tools",
      text: () => Array.from({ length: 60 }, (_, at) => ({ text: `line ${at}` })),
      approve: async (isBound) => void answers.push(isBound),
    };
    using dialog = new DialogScreen(consentDialog(parts([{ ...open, items: [open] }])));
    await dialog.terminal.until("end see all of it");
    dialog.terminal.type("b");
    expect(await dialog.shows()).toContain("Press end, then b.");
    dialog.terminal.press("end");
    await dialog.terminal.until("b approve, bound to tools");
    dialog.terminal.type("b");
    await dialog.shows();
    expect(answers).toEqual([true]);
    expect(dialog.answers).toEqual([1]);
  });

  test("what cannot be approved is said, and stays unapproved", async () => {
    const fails = (): never => {
      throw new Error("the disk is full");
    };
    using dialog = new DialogScreen(consentDialog(parts([sheet("a.ts", [item("a.ts", fails)])])));
    await dialog.shows();
    dialog.terminal.type("y");
    expect(await dialog.shows()).toContain("the disk is full");
    dialog.terminal.press("escape");
    expect(dialog.answers).toEqual([0]);
  });
});
