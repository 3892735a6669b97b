import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KeybindingsManager, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { colourCode, colourMode } from "../../src/tui/theme/colours.ts";
import { themeNamed, useTheme } from "../../src/tui/theme/current.ts";
import { PALETTES } from "../../src/tui/theme/palette.ts";
import { resolvedColours, themeOf } from "../../src/tui/theme/theme.ts";
import { createKeybindings } from "../../src/tui/widget/keybindings.ts";
import { lentPlace } from "./lent.ts";

const screen = { requestRender() {}, terminal: { rows: 24, columns: 80 } };
const plain = (text: string): string => text.replace(/\x1b\[[0-9;]*m/g, "");
const style = { borderColor: (text: string) => text, selectList: {} };

beforeEach(() => useTheme(themeOf(PALETTES.dark, "truecolor", { name: "dark" })));
afterEach(() => useTheme(themeOf(PALETTES.dark, "truecolor", { name: "dark" })));

describe("colours", () => {
  test.each([
    ["#ff8000", "truecolor", "fg", "\x1b[38;2;255;128;0m"],
    ["#ff8000", "truecolor", "bg", "\x1b[48;2;255;128;0m"],
    ["#ff0000", "256color", "fg", "\x1b[38;5;196m"],
    ["#808080", "256color", "fg", "\x1b[38;5;244m"],
    [99, "truecolor", "fg", "\x1b[38;5;99m"],
    ["", "truecolor", "fg", "\x1b[39m"],
    ["", "truecolor", "bg", "\x1b[49m"],
  ] as const)("%s in %s as %s", (colour, mode, ground, code) => {
    expect(colourCode(colour, mode, ground)).toBe(code);
  });

  test("a terminal that reports support gets exact colours, every other one 256", () => {
    expect(colourMode({ COLORTERM: "truecolor" })).toBe("truecolor");
    expect(colourMode({ TERM: "xterm" })).toBe("256color");
  });

  test("a theme has every colour, and a name that it does not have throws", () => {
    for (const name of ["dark", "light"] as const) {
      const theme = themeNamed(name);
      for (const colour of Object.keys(PALETTES[name]))
        expect(colour.endsWith("Bg") ? theme?.getBgAnsi(colour) : theme?.getFgAnsi(colour)).toMatch(/^\x1b\[/);
      expect(() => theme?.fg("nothing", "x")).toThrow("Unknown theme color: nothing");
      expect(() => theme?.bg("accent", "x")).toThrow("Unknown theme background color: accent");
    }
  });

  test("names in a theme's file stand for colours; a circular one throws", () => {
    expect(resolvedColours({ accent: "a", text: "", dim: 3 }, { a: "b", b: "#010203" })).toEqual({
      accent: "#010203",
      text: "",
      dim: 3,
    });
    expect(() => resolvedColours({ accent: "a" }, { a: "b", b: "a" })).toThrow("Circular");
    expect(() => resolvedColours({ accent: "a" }, {})).toThrow("not found: a");
  });

  test("a theme is chosen by the name in a file of the agent's home; an unknown one is the dark one", async () => {
    await using place = lentPlace();
    const { initTheme, getMarkdownTheme } = await place.use("pi-coding-agent");
    const folder = join(place.lent.hooklineHome, "themes");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "mine.json"), JSON.stringify({ name: "mine", colors: { mdHeading: 200 } }));
    initTheme("mine");
    expect(getMarkdownTheme().heading("x")).toBe("\x1b[38;5;200mx\x1b[39m");
    initTheme("nobody's");
    expect(getMarkdownTheme().heading("x")).not.toContain("38;5;200m");
  });
});

describe("code and diffs", () => {
  test("known languages are coloured by their parts, and the text is unchanged", async () => {
    await using place = lentPlace();
    const { highlightCode, getLanguageFromPath } = await place.use("pi-coding-agent");
    const code = 'const a = "x\\"y"; // note\nfoo(1.5e3) /* b\nc */ + `t\nu`;\n"open';
    const lines: string[] = highlightCode(code, getLanguageFromPath("a/b.ts"));
    expect(lines.map(plain).join("\n")).toBe(code);
    const theme = themeOf(PALETTES.dark, "truecolor");
    expect(lines[0]).toContain(theme.fg("syntaxKeyword", "const"));
    expect(lines[0]).toContain(theme.fg("syntaxString", '"x'));
    expect(lines[0]).toContain(theme.fg("syntaxComment", "// note"));
    expect(lines[1]).toContain(theme.fg("syntaxFunction", "foo"));
    expect(lines[1]).toContain(theme.fg("syntaxNumber", "1.5e3"));
    expect(lines[2]).toContain(theme.fg("syntaxComment", "c */"));
    expect(lines[3]).toContain(theme.fg("syntaxString", "u`"));
  });

  test("languages that highlight.js lacks have the colours of similar ones", async () => {
    await using place = lentPlace();
    const { highlightCode } = await place.use("pi-coding-agent");
    const theme = themeOf(PALETTES.dark, "truecolor");
    const code = { fish: "if", dockerfile: "if", scala: "if", elixir: "if" };
    for (const [language, keyword] of Object.entries(code))
      expect(highlightCode(keyword, language)).toEqual([theme.fg("syntaxKeyword", keyword)]);
  });

  test("code in Markdown has one colour until the highlighter is loaded, and is drawn again then", async () => {
    // A second copy of the module, which has not loaded the highlighter yet.
    const copy = "../../src/tui/theme/styles.ts?again";
    const { getMarkdownTheme } = (await import(copy)) as typeof import("../../src/tui/theme/styles.ts");
    const theme = themeOf(PALETTES.dark, "truecolor");
    const drawn = Promise.withResolvers<void>();
    let times = 0;
    const styles = getMarkdownTheme(() => {
      times += 1;
      drawn.resolve();
    });
    for (const _ of [1, 2])
      expect(styles.highlightCode("const a\nb", "ts")).toEqual(
        ["const a", "b"].map((line) => theme.fg("mdCodeBlock", line)),
      );
    await drawn.promise;
    await new Promise(setImmediate);
    expect(times).toBe(1);
    expect(styles.highlightCode("const a", "ts")[0]).toContain(theme.fg("syntaxKeyword", "const"));
  });

  test.each(["python", "rust", "go", "sql", "json", "bash", "css", "lua", "nothing"])(
    "%s keeps every character, whatever it is",
    async (language) => {
      await using place = lentPlace();
      const { highlightCode } = await place.use("pi-coding-agent");
      const code = 'a \'b "c" `d` # e\n-- f // g /* h\n\t1.2 😀 \\ """i\nj';
      expect(highlightCode(code, language).map(plain).join("\n")).toBe(code);
    },
  );

  test("added and removed lines have colours, and a changed line shows where", async () => {
    await using place = lentPlace();
    const { renderDiff } = await place.use("pi-coding-agent");
    const [context, removed, added] = renderDiff(" 1 same\n-2 old text\n+2 new text").split("\n") as string[];
    const theme = themeOf(PALETTES.dark, "truecolor");
    expect(context).toBe(theme.fg("toolDiffContext", " 1 same"));
    expect(removed).toBe(theme.fg("toolDiffRemoved", `-2 ${theme.inverse("old")} text`));
    expect(added).toBe(theme.fg("toolDiffAdded", `+2 ${theme.inverse("new")} text`));
  });
});

describe("components", () => {
  test("a border fills the width", async () => {
    await using place = lentPlace();
    const { DynamicBorder } = await place.use("pi-coding-agent");
    expect(new DynamicBorder((text: string) => `<${text}>`).render(5)).toEqual(["<─────>"]);
    expect(plain(new DynamicBorder().render(0)[0])).toBe("─");
  });

  test("a loader that is cancelled aborts its signal; one that cannot be does not", async () => {
    await using place = lentPlace();
    const { BorderedLoader } = await place.use("pi-coding-agent");
    const theme = themeOf(PALETTES.dark, "truecolor");
    const loader = new BorderedLoader(screen, theme, "Working");
    let aborted = 0;
    loader.onAbort = () => (aborted += 1);
    const lines = loader.render(40).map(plain);
    expect(lines.join("\n")).toContain("Working");
    expect(lines.join("\n")).toContain("escape/ctrl+c cancel");
    expect([lines[0], lines.at(-1)]).toEqual(["─".repeat(40), "─".repeat(40)]);
    loader.handleInput("\x1b");
    expect([loader.signal.aborted, aborted]).toEqual([true, 1]);
    loader.dispose();
    const fixed = new BorderedLoader(screen, theme, "Working", { cancellable: false });
    fixed.handleInput("\x1b");
    expect(fixed.signal.aborted).toBe(false);
    fixed.dispose();
  });

  test("key hints name the keys that are bound", async () => {
    await using place = lentPlace();
    const { keyHint, keyText, rawKeyHint } = await place.use("pi-coding-agent");
    expect(keyText("app.exit")).toBe("ctrl+d");
    expect(plain(keyHint("tui.select.cancel", "close"))).toBe("escape/ctrl+c close");
    expect(plain(rawKeyHint("ctrl+x", "cut"))).toBe("ctrl+x cut");
    expect(keyText("app.nothing")).toBe("");
  });

  test("messages show their text, thinking can be hidden, and errors are shown", async () => {
    await using place = lentPlace();
    const pi = await place.use("pi-coding-agent");
    const shown = (component: any): string => component.render(60).map(plain).join("\n");
    const message = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "deep" },
        { type: "text", text: "answer" },
      ],
      stopReason: "length",
    };
    const assistant = new pi.AssistantMessageComponent(message);
    expect(shown(assistant)).toMatch(/deep[\s\S]*answer[\s\S]*truncated/);
    assistant.setHideThinkingBlock(true);
    assistant.setHiddenThinkingLabel("hmm");
    expect(shown(assistant)).toMatch(/hmm[\s\S]*answer/);
    assistant.updateContent({ ...message, content: [], stopReason: "error", errorMessage: "broken" });
    expect(shown(assistant)).toContain("Error: broken");
    expect(shown(new pi.UserMessageComponent("asked"))).toContain("asked");
    const custom = { role: "custom", customType: "kind", content: "body", display: true, timestamp: 1 };
    expect(shown(new pi.CustomMessageComponent(custom))).toMatch(/\[kind\][\s\S]*body/);
    const drawn = new pi.CustomMessageComponent(custom, ({ content }: any, { expanded }: any) => ({
      invalidate() {},
      render: () => [`own ${content} ${expanded}`],
    }));
    drawn.setExpanded(true);
    expect(shown(drawn)).toContain("own body true");
    const failing = new pi.CustomMessageComponent(custom, () => {
      throw new Error("no");
    });
    expect(shown(failing)).toContain("body");
  });

  test("the last lines of a long text are kept, wrapped as they are drawn", async () => {
    await using place = lentPlace();
    const { truncateToVisualLines } = await place.use("pi-coding-agent");
    const { visualLines, skippedCount } = truncateToVisualLines("aa bb cc\ndd", 2, 5);
    expect(visualLines.map((line: string) => line.trim())).toEqual(["cc", "dd"]);
    expect(skippedCount).toBe(1);
    expect(truncateToVisualLines("", 2, 5)).toEqual({ visualLines: [], skippedCount: 0 });
  });

  test("calls and results of the built-in tools are drawn, long results in part", async () => {
    await using place = lentPlace();
    const { createBashToolDefinition, createReadToolDefinition } = await place.use("pi-coding-agent");
    const theme = themeOf(PALETTES.dark, "truecolor");
    const bash = createBashToolDefinition(place.folder);
    const lines = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`).join("\n");
    const result = { content: [{ type: "text", text: lines }] };
    const shown = (component: any): string =>
      component
        .render(60)
        .map(plain)
        .map((line: string) => line.trimEnd())
        .join("\n");
    expect(shown(bash.renderCall({ command: "ls -l" }, theme))).toBe("$ ls -l");
    expect(shown(bash.renderResult(result, {}, theme))).toBe(
      "... (4 earlier lines, Ctrl+O shows them)\nline 5\nline 6\nline 7\nline 8\nline 9",
    );
    expect(shown(bash.renderResult(result, { expanded: true }, theme))).toBe(lines);
    const read = createReadToolDefinition(place.folder);
    expect(shown(read.renderCall({ path: "a.txt", offset: 3, limit: 2 }, theme))).toBe("read a.txt:3-4");
  });
});

describe("the editor that extensions derive theirs from", () => {
  const make = async (keybindings: unknown = createKeybindings()): Promise<any> => {
    await using place = lentPlace();
    const { CustomEditor } = await place.use("pi-coding-agent");
    return new CustomEditor(screen, style, keybindings);
  };

  test("types keys without an action", async () => {
    const editor = await make();
    for (const key of "hi") editor.handleInput(key);
    expect(editor.getText()).toBe("hi");
  });

  test("escape interrupts, the dynamic handler before the registered one", async () => {
    const editor = await make();
    const told: string[] = [];
    editor.onAction("app.interrupt", () => told.push("registered"));
    editor.handleInput("\x1b");
    editor.onEscape = () => told.push("dynamic");
    editor.handleInput("\x1b");
    expect(told).toEqual(["registered", "dynamic"]);
  });

  test("ctrl+d leaves an empty editor and deletes in one that is not", async () => {
    const editor = await make();
    let left = 0;
    editor.onCtrlD = () => (left += 1);
    editor.handleInput("\x04");
    editor.handleInput("x");
    editor.handleInput("\x04");
    expect([left, editor.getText()]).toEqual([1, "x"]);
  });

  test("actions run instead of typing, unless a person has bound their key to the history", async () => {
    let cycled = 0;
    const count = (editor: any): void => editor.onAction("app.model.cycleForward", () => (cycled += 1));
    const usual = await make();
    count(usual);
    usual.handleInput("\x10");
    const bound = await make(createKeybindings({ "tui.editor.historyPrevious": "ctrl+p" }));
    count(bound);
    bound.handleInput("\x10");
    expect(cycled).toBe(1);
  });

  test("a shortcut of an extension comes first, and ctrl+v pastes an image", async () => {
    const editor = await make();
    const told: string[] = [];
    editor.onPasteImage = () => told.push("image");
    editor.handleInput("\x16");
    editor.onExtensionShortcut = (data: string) => data === "\x16" && told.push("shortcut") > 0;
    editor.handleInput("\x16");
    expect(told).toEqual(["image", "shortcut"]);
  });

  test("bindings without the agent's actions leave these on their default keys; a removed key stays removed", async () => {
    let interrupted = 0;
    const bare = await make(new KeybindingsManager(TUI_KEYBINDINGS));
    bare.onEscape = () => (interrupted += 1);
    bare.handleInput("\x1b");
    const without = await make(createKeybindings({ "app.interrupt": [] }));
    without.onEscape = () => (interrupted += 1);
    without.handleInput("\x1b");
    expect(interrupted).toBe(1);
  });
});
