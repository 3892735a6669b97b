import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeSetting } from "../../src/settings/write.ts";
import { settingsOf } from "../../src/tui/select/commands.ts";
import { editSettings } from "../../src/tui/select/settings.ts";
import { themeNamed, useTheme } from "../../src/tui/theme/current.ts";
import { DialogScreen, harmDone } from "../support/dialog.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

let top: string;
let home: string;
const inForce: any[] = [];
const themes: string[] = [];

beforeEach(() => {
  useTheme(themeNamed("dark") as never);
  top = mkdtempSync(join(tmpdir(), "hookline-settings-"));
  home = join(top, "home");
  mkdirSync(join(top, "project/.hookline"), { recursive: true });
  inForce.length = 0;
  themes.length = 0;
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const agent: any = { useSettings: (settings: unknown) => inForce.push(settings) };
const dialogOf = () =>
  editSettings(settingsOf(agent, { hooklineHome: home, cwd: join(top, "project") }, (name) => themes.push(name)));
const file = (): any => JSON.parse(readFileSync(join(home, "settings.json"), "utf8"));

describe("/settings", () => {
  test("at 80×24", async () => {
    using dialog = new DialogScreen(dialogOf(), SMALL);
    expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── Settings ────────────────────────────────────────────────────────────────────
      >
      → lanes                                                                  not set
        dialects                                                               not set
        extensionOrder                                                            seed
        feedbackCap                                                                  5
        hookTurnCap                                                                200
        holdReplies                                                              false
        handlerTimeoutMs                                                         30000
        toolCallTimeoutMs                                                      not set
        retry.maxRetries                                                             3
        retry.baseDelayMs                                                         2000
        compaction.enabled                                                        true
        compaction.strategy                                                       auto
        compaction.reserveTokens                                                 16384
        compaction.keepRecentTokens                                              20000
        compaction.threshold                                                   not set
        1 of 78
       order in which the lanes, such as claude and pi, are asked
       the default; a change takes effect at the next start
       ↑↓ move · enter change · ctrl+r reset to default · esc close
      "
    `);
  });

  test("at 120×40", async () => {
    using dialog = new DialogScreen(dialogOf(), LARGE);
    dialog.terminal.type("compaction");
    expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── Settings ────────────────────────────────────────────────────────────────────────────────────────────────────────────
      > compaction
      → compaction.enabled                                                                                                true
        compaction.strategy                                                                                               auto
        compaction.reserveTokens                                                                                         16384
        compaction.keepRecentTokens                                                                                      20000
        compaction.threshold                                                                                           not set
        compaction.microAt                                                                                                  60
       compact automatically near the limit
       the default; a change acts at once
       ↑↓ move · enter change · ctrl+r reset to default · esc close
      "
    `);
  });

  test("enter switches, goes through choices, asks for numbers; the running agent is told about it", async () => {
    using dialog = new DialogScreen(dialogOf(), SMALL);
    dialog.terminal.type("compaction.enabled");
    dialog.terminal.press("enter");
    expect(await dialog.shows()).toContain("false *");
    dialog.terminal.press("ctrl+u");
    dialog.terminal.type("compaction.strategy");
    dialog.terminal.press("enter");
    dialog.terminal.press("ctrl+u");
    dialog.terminal.type("feedbackCap");
    dialog.terminal.press("enter", "ctrl+u");
    dialog.terminal.type("many");
    dialog.terminal.press("enter");
    expect(await dialog.shows()).toContain("It must be a whole number, 0 or more");
    dialog.terminal.press("ctrl+u");
    dialog.terminal.type("2");
    dialog.terminal.press("enter");
    expect(await dialog.shows()).toContain("2 *");
    expect(file()).toEqual({ compaction: { enabled: false, strategy: "rolling" }, feedbackCap: 2 });
    expect(inForce.at(-1)).toMatchObject({ feedbackCap: 2, compaction: { enabled: false, strategy: "rolling" } });
  });

  test("ctrl+r resets to the default, and lists are split at commas", async () => {
    mkdirSync(home);
    writeFileSync(join(home, "settings.json"), '{ "feedbackCap": 2, "theme": "light", "unknown": 1 }');
    using dialog = new DialogScreen(dialogOf(), SMALL);
    dialog.terminal.type("feedbackCap");
    dialog.terminal.press("ctrl+r", "ctrl+u");
    dialog.terminal.type("lanes");
    dialog.terminal.press("enter");
    dialog.terminal.type("pi, omp,");
    dialog.terminal.press("enter", "ctrl+u");
    dialog.terminal.type("theme");
    dialog.terminal.press("ctrl+r");
    await dialog.shows();
    expect(file()).toEqual({ unknown: 1, lanes: ["pi", "omp"] });
    expect(themes).toEqual(["dark"]);
  });

  test("a project's stricter value is shown, and a broken file is left alone", async () => {
    writeFileSync(join(top, "project/.hookline/settings.json"), '{ "durability": "entry" }');
    mkdirSync(home);
    writeFileSync(join(home, "settings.json"), "{ broken");
    using dialog = new DialogScreen(dialogOf(), LARGE);
    dialog.terminal.type("durability");
    expect(await dialog.shows()).toContain("made stricter by this project, which wins over yours");
    dialog.terminal.press("enter", "enter");
    expect(await dialog.shows()).toContain("settings.json is not JSON");
    expect(readFileSync(join(home, "settings.json"), "utf8")).toBe("{ broken");
  });

  test("hostile values are shown as marks", async () => {
    mkdirSync(home);
    writeFileSync(join(home, "settings.json"), JSON.stringify({ theme: "\x1b]0;owned\x07" }));
    using dialog = new DialogScreen(dialogOf(), SMALL);
    dialog.terminal.type("colours of the terminal");
    expect(await dialog.shows()).toContain("␛]0;owned␇");
    dialog.terminal.press("enter");
    await dialog.shows();
    expect(harmDone(dialog.terminal)).toEqual([]);
  });
});

test("a linked settings file stays a link, and a path that stands there as one key is changed in place", () => {
  mkdirSync(home);
  const real = join(top, "dotfile.json");
  writeFileSync(real, '{ "retry.maxRetries": 5 }');
  symlinkSync(real, join(home, "settings.json"));
  writeSetting(home, "retry.maxRetries", 1);
  writeSetting(home, "todo.remindersMax", 0);
  expect(JSON.parse(readFileSync(real, "utf8"))).toEqual({ "retry.maxRetries": 1, todo: { remindersMax: 0 } });
});

test("a setting is not written where a pipe lies, nor waited for", () => {
  mkdirSync(home);
  execFileSync("mkfifo", [join(home, "settings.json")]);
  expect(() => writeSetting(home, "retry.maxRetries", 1)).toThrow("is not a file");
  rmSync(home, { recursive: true });
  writeSetting(home, "retry.maxRetries", 1);
  expect(JSON.parse(readFileSync(join(home, "settings.json"), "utf8"))).toEqual({ retry: { maxRetries: 1 } });
});
