import { visibleWidth as visible } from "@earendil-works/pi-tui";
import { beforeEach, describe, expect, test } from "vitest";
import { Choice, choose } from "../../src/tui/select/choice.ts";
import { chooseModel, chooseTheme, chooseThinking } from "../../src/tui/select/simple.ts";
import { themeNamed, useTheme } from "../../src/tui/theme/current.ts";
import { ALL_HOSTILE, DialogScreen, harmDone } from "../support/dialog.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

beforeEach(() => useTheme(themeNamed("dark") as never));

const model = (provider: string, id: string, more: object = {}): any => ({
  provider,
  id,
  name: id,
  input: ["text"],
  reasoning: false,
  contextWindow: 128_000,
  ...more,
});
const MODELS = [
  model("anthropic", "claude-sonnet-4-5", { reasoning: true, input: ["text", "image"], contextWindow: 200_000 }),
  model("openai", "gpt-5", { reasoning: true }),
  model("openai", "gpt-5-mini"),
  model("local", "qwen3"),
];

describe("the list of models", () => {
  test("at 80×24", async () => {
    using dialog = new DialogScreen(chooseModel(MODELS, { provider: "openai", id: "gpt-5" }), SMALL);
    expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
      "
      ── Choose a model ────────────────────────────────────────────────── 4 models ──
      >
        anthropic/claude-sonnet-4-5                             200k · thinks · images
      → openai/gpt-5 ✓                                                   128k · thinks
        openai/gpt-5-mini                                                         128k
        local/qwen3                                                               128k
       ↑↓ move · enter use · esc close
      "
    `);
  });

  test("typing narrows it, and enter takes what is left", async () => {
    using dialog = new DialogScreen(chooseModel(MODELS, { provider: "openai", id: "gpt-5" }));
    dialog.terminal.type("mini");
    expect(await dialog.shows()).toContain("→ openai/gpt-5-mini");
    expect(await dialog.shows()).not.toContain("qwen3");
    dialog.terminal.press("enter");
    expect(dialog.answers).toEqual([MODELS[2]]);
  });

  test("a word without a match finds similar ones", async () => {
    using dialog = new DialogScreen(chooseModel(MODELS, { provider: "openai", id: "gpt-5" }));
    dialog.terminal.type("cldsnt");
    expect(await dialog.shows()).toContain("→ anthropic/claude-sonnet-4-5");
  });

  test("a search without matches says so; enter then does nothing, and escape cancels", async () => {
    using dialog = new DialogScreen(chooseModel(MODELS, { provider: "openai", id: "gpt-5" }));
    dialog.terminal.type("zzzz");
    expect(await dialog.shows()).toContain("Nothing matches “zzzz”.");
    dialog.terminal.press("enter");
    expect(dialog.answers).toEqual([]);
    dialog.terminal.press("escape");
    expect(dialog.answers).toEqual([undefined]);
  });

  test("an empty list says what to do", async () => {
    using dialog = new DialogScreen(chooseModel([], { provider: "openai", id: "gpt-5" }));
    expect(await dialog.shows()).toContain("No model can be asked. Set a provider's key, or add one to models.json.");
  });
});

test("moving wraps around at the ends; page keys, home and end work", async () => {
  const rows = Array.from({ length: 50 }, (_, at) => ({ value: at, text: `row ${at}` }));
  using dialog = new DialogScreen(choose({ title: "Rows", rows, empty: "", does: "take" }), SMALL);
  dialog.terminal.press("up");
  expect(await dialog.shows()).toContain("→ row 49");
  dialog.terminal.press("down", "down", "pageDown");
  expect(await dialog.shows()).toContain("→ row 15");
  dialog.terminal.press("end");
  expect(await dialog.shows()).toContain("50 of 50");
  dialog.terminal.press("home", "enter");
  expect(dialog.answers).toEqual([0]);
});

test("of ten thousand rows only those on the screen are drawn, whatever key is pressed", async () => {
  let drawn = 0;
  const rows = Array.from({ length: 10_000 }, (_, at) => ({ value: at, text: `row ${at}` }));
  const draw = (row: { text: string }): string => {
    drawn += 1;
    return row.text;
  };
  using dialog = new DialogScreen(
    (screen, done) => new Choice(screen, { title: "Rows", rows, empty: "", does: "take", draw }, done),
    LARGE,
  );
  await dialog.shows();
  const frames = (): number => dialog.terminal.writes;
  const before = { drawn, frames: frames() };
  dialog.terminal.press("end");
  expect(await dialog.shows()).toContain("→ row 9999");
  dialog.terminal.type("9876");
  expect(await dialog.shows()).toContain("→ row 9876");
  const room = 24;
  expect(before.drawn).toBeLessThanOrEqual(room * 2);
  expect(drawn - before.drawn).toBeLessThanOrEqual(room * (frames() - before.frames + 2));
});

test("hostile texts show as marks in every cell and do nothing", async () => {
  const rows = [{ value: 1, text: ALL_HOSTILE, note: ALL_HOSTILE }];
  using dialog = new DialogScreen(choose({ title: "Rows", rows, empty: "", does: "take" }), LARGE);
  expect(await dialog.shows()).toContain("␛]0;owned␇");
  dialog.terminal.paste(ALL_HOSTILE);
  dialog.terminal.type("x");
  await dialog.shows();
  expect(harmDone(dialog.terminal)).toEqual([]);
});

test.each([1, 2, 5, 12, 20, 40])("no line is wider than a terminal of %i columns", (width) => {
  const rows = [{ value: 1, text: "日本語のとても長い行".repeat(5), note: "a note that is long", isCurrent: true }];
  const dialog = choose({ title: "A title that is long", rows, empty: "", does: "take" });
  using shown = new DialogScreen(dialog, { columns: width, rows: 10 });
  for (const line of shown.view.render(width)) expect(visible(line)).toBeLessThanOrEqual(width);
});

test("a theme is previewed while moving, and cancelling restores the old one", () => {
  const tried: string[] = [];
  using dialog = new DialogScreen(chooseTheme(["dark", "light"], "dark", (name) => tried.push(name)));
  dialog.terminal.press("down", "escape");
  expect(tried).toEqual(["light", "dark"]);
  expect(dialog.answers).toEqual([undefined]);
});

test("the levels of thinking", async () => {
  using dialog = new DialogScreen(chooseThinking(["off", "low", "high"], "low"), SMALL);
  expect(`\n${await dialog.shows()}\n`).toMatchInlineSnapshot(`
    "
    ── Thinking ────────────────────────────────────────────────────────────────────
      off                                                            answers at once
    → low ✓                                                                 a little
      high                                                                      much
     ↑↓ move · enter use · esc close
    "
  `);
  dialog.terminal.press("down", "enter");
  expect(dialog.answers).toEqual(["high"]);
});
