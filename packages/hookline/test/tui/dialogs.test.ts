import type { Component } from "@earendil-works/pi-tui";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PAUSE_MS, unhurried } from "../../src/tui/dialog/dialogs.ts";
import { Sitting, type SittingOptions } from "../support/sitting.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

const SIZES = [
  ["80×24", SMALL],
  ["120×40", LARGE],
] as const;

/** An extension with one command, `/go`, that does this and tells what it came to. */
function going(body: string, more: SittingOptions = {}): Promise<Sitting> {
  const source = `
    import { Text } from "@earendil-works/pi-tui";
    export default function (pi) {
      pi.registerCommand("go", { handler: async (args, ctx) => {
        const told = await (async (ui) => { ${body} })(ctx.ui);
        if (told !== undefined) pi.sendMessage({ customType: "told", content: JSON.stringify(told), display: true });
      } });
    }`;
  return Sitting.start({ ...more, files: { "~/.pi/agent/extensions/going.ts": source, ...more.files } });
}

test.each(SIZES)("a choice of several (%s)", async (_, size) => {
  await using sitting = await going('return await ui.select("Which way?", ["left", "right", "back"]);', { size });
  sitting.say("/go");
  await sitting.terminal.until("Which way?");
  expect(await sitting.screen()).toMatchSnapshot();
  sitting.terminal.press("down", "enter");
  await sitting.terminal.until('"right"');
});

test.each(SIZES)("a yes or no (%s)", async (_, size) => {
  await using sitting = await going('return await ui.confirm("Remove it?", "rm -rf build\\nThis cannot be undone.");', {
    size,
  });
  sitting.say("/go");
  await sitting.terminal.until("Remove it?");
  expect(await sitting.screen()).toMatchSnapshot();
  sitting.terminal.type("y");
  await sitting.terminal.until("true");
});

test.skipIf(process.platform === "win32")("Ctrl+Z suspends hookline also while a question is open", async () => {
  await using sitting = await going('return await ui.confirm("Sure?", "");');
  sitting.say("/go");
  await sitting.terminal.until("Sure?");
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  sitting.terminal.press("ctrl+z");
  expect(kill).toHaveBeenCalledExactlyOnceWith(0, "SIGTSTP");
  process.emit("SIGCONT");
  sitting.terminal.type("y");
  await sitting.terminal.until("true");
});

test("the footer says that a question waits behind another one", async () => {
  await using sitting = await going('return await Promise.all([ui.confirm("One?", ""), ui.confirm("Two?", "")]);');
  sitting.say("/go");
  expect(await sitting.terminal.until("1 question waits behind what is open")).toContain("One?");
  sitting.terminal.type("y");
  expect(await sitting.terminal.until("Two?")).not.toContain("question waits");
  sitting.terminal.type("n");
  await sitting.terminal.until("[true,false]");
});

test("a text to decide on hides nothing; emoji are what they are, colours are taken out", async () => {
  const body = `return await ui.select("\u26a0\ufe0f \x1b[31mrm\x1b[0m\u200b -rf \u202egpj.x?", ["do\u2060 it"]);`;
  await using sitting = await going(body);
  sitting.say("/go");
  const screen = await sitting.terminal.until("-rf");
  expect(screen).toContain("rm<U+200B> -rf <U+202E>gpj.x?");
  expect(screen).toContain("do<U+2060> it");
  expect(screen).not.toContain("FE0F");
});

test.each(["n", "\x1b"])("a no by %j", async (key) => {
  await using sitting = await going('return await ui.confirm("Sure?", "");');
  sitting.say("/go");
  await sitting.terminal.until("Sure?");
  sitting.terminal.feed(key);
  await sitting.terminal.until("false");
});

describe("a question that appears while the person types", () => {
  test("is answered after a pause, and what was typed is still there", async () => {
    const asks = `export default function (pi) {
      pi.registerShortcut("ctrl+y", { description: "ask", handler: async (ctx) => {
        const yes = await ctx.ui.confirm("Remove it?", "");
        pi.sendMessage({ customType: "told", content: "answered " + yes, display: true });
      } });
    }`;
    await using sitting = await Sitting.start({ files: { "~/.pi/agent/extensions/asks.ts": asks } });
    sitting.terminal.type("maybe");
    sitting.terminal.press("ctrl+y");
    await sitting.terminal.until("Remove it?");
    await new Promise((done) => setTimeout(done, PAUSE_MS + 100));
    sitting.terminal.type("y");
    expect(await sitting.terminal.until("answered true")).toContain("maybe");
  });

  test("does not take a typed key for an answer", () => {
    let now = 0;
    const [answers, typed]: string[][] = [[], []];
    const component = (into: string[]): Component => ({
      handleInput: (data) => void into.push(data),
      invalidate() {},
      render: () => [],
    });
    const dialog = unhurried(component(answers as string[]), component(typed as string[]), () => now);
    const press = (data: string, afterMs: number): void => {
      now += afterMs;
      dialog.handleInput?.(data);
    };
    for (const key of "yes") press(key, PAUSE_MS - 1);
    press("\r", 10);
    expect(answers).toEqual([]);
    expect(typed).toEqual(["y", "e", "s"]);
    press("y", PAUSE_MS);
    press("n", 1);
    expect(answers).toEqual(["y", "n"]);
  });

  test.each(["\x1b", "\x03"])("is dismissed at once by %j", (key) => {
    const answers: string[] = [];
    const quiet = { invalidate() {}, render: () => [] };
    unhurried({ ...quiet, handleInput: (data) => void answers.push(data) }, quiet, () => 0).handleInput?.(key);
    expect(answers).toEqual([key]);
  });
});

test("a line of text", async () => {
  await using sitting = await going('return await ui.input("Your name", "Ada");');
  sitting.say("/go");
  await sitting.terminal.until("Your name");
  expect(await sitting.screen()).toMatchSnapshot();
  sitting.terminal.type("Grace");
  sitting.terminal.press("enter");
  await sitting.terminal.until('"Grace"');
});

test("a text of several lines, accepted with Enter", async () => {
  await using sitting = await going('return await ui.editor("Edit it", "one\\ntwo");');
  sitting.say("/go");
  await sitting.terminal.until("Edit it");
  expect(await sitting.screen()).toMatchSnapshot();
  sitting.terminal.type("!");
  sitting.terminal.press("enter");
  await sitting.terminal.until(String.raw`"one\ntwo!"`);
});

test("omp's editor takes Enter as a new line and Ctrl+S as the end", async () => {
  const omp = `export default function (pi) {
    pi.registerCommand("go", { handler: async (args, ctx) => {
      const text = await ctx.ui.editor("Edit it", "one");
      ctx.ui.notify(JSON.stringify(text), "warning");
    } });
  }`;
  await using sitting = await Sitting.start({ files: { "~/.omp/agent/extensions/go.ts": omp } });
  sitting.say("/go");
  await sitting.terminal.until("Edit it");
  sitting.terminal.press("enter");
  sitting.terminal.type("two");
  sitting.terminal.press("ctrl+s");
  await sitting.terminal.until(String.raw`"one\ntwo"`);
});

test("a question with a time limit counts down and closes itself", async () => {
  await using sitting = await going('return (await ui.select("Quick", ["a"], { timeout: 700 })) ?? "nobody";');
  sitting.say("/go");
  expect(await sitting.terminal.until("Quick")).toContain("closes in 1 s");
  await sitting.terminal.until('"nobody"');
});

test("a question is dismissed by its signal", async () => {
  const body = `const over = new AbortController();
    process.once("hookline-test-over", () => over.abort());
    return (await ui.select("Soon gone", ["a"], { signal: over.signal })) ?? "gone";`;
  await using sitting = await going(body);
  sitting.say("/go");
  await sitting.terminal.until("Soon gone");
  process.emit("hookline-test-over" as "SIGTERM");
  await sitting.terminal.until('"gone"');
});

test("several questions wait for one another", async () => {
  const body = `return await Promise.all([ui.select("First", ["a1", "b1"]), ui.input("Second"), ui.confirm("Third", "")]);`;
  await using sitting = await going(body);
  const { terminal } = sitting;
  sitting.say("/go");
  expect(await terminal.until("First")).not.toContain("Second");
  terminal.press("enter");
  expect(await terminal.until("Second")).not.toContain("Third");
  terminal.type("x");
  terminal.press("enter");
  await terminal.until("Third");
  terminal.type("y");
  await terminal.until('["a1","x",true]');
});

test.each(SIZES)("widgets, statuses, header, footer, title and working line of hooks (%s)", async (_, size) => {
  const body = `
    ui.setStatus("b", "second \\x1b[32mgreen\\x1b[0m"); ui.setStatus("a", "first\\nstatus");
    ui.setWidget("up", ["above one", "above two"]);
    ui.setWidget("down", (tui, theme) => new Text("below, " + theme.bold("bold"), 1, 0), { placement: "belowEditor" });
    ui.setHeader(() => new Text("A header of its own", 1, 0));
    ui.setTitle("their title");
    ui.setEditorText("prefilled");`;
  await using sitting = await going(body, { size });
  sitting.say("/go");
  await sitting.terminal.until("prefilled");
  expect(await sitting.screen()).toMatchSnapshot();
  expect(sitting.terminal.title).toBe("their title");
});

test("a footer gets the branch and the statuses; without one the usual comes back", async () => {
  const body = `
    ui.setStatus("k", "busy");
    ui.setFooter((tui, theme, data) => ({ invalidate() {}, render: () => ["own footer " + data.getGitBranch() + " " + [...data.getExtensionStatuses().values()]] }));
    while (ui.getEditorText() === "") await new Promise((done) => setTimeout(done, 5));
    const text = ui.getEditorText();
    ui.setFooter(undefined);
    return ["was", text];`;
  await using sitting = await going(body, { files: { ".git/HEAD": "ref: refs/heads/topic/one\n" } });
  expect(sitting.terminal.text()).toContain("(topic/one)");
  sitting.say("/go");
  await sitting.terminal.until("own footer topic/one busy");
  sitting.terminal.type("x");
  await sitting.terminal.until('["was","x"]');
  expect(await sitting.screen()).toContain("(topic/one)");
});

test("a component in the editor's place has the keys until it is done", async () => {
  const body = `return await ui.custom((tui, theme, keys, done) => {
      let typed = "";
      return { invalidate() {}, render: () => ["CUSTOM " + typed], handleInput(data) { if (data === "\\r") done(typed); else typed += data; } };
    });`;
  await using sitting = await going(body);
  sitting.say("/go");
  await sitting.terminal.until("CUSTOM");
  sitting.terminal.type("abc");
  await sitting.terminal.until("CUSTOM abc");
  sitting.terminal.press("enter");
  await sitting.terminal.until('"abc"');
  sitting.terminal.type("back");
  expect(await sitting.screen()).toContain("back");
});

test("a component over the screen, a question over it, and both are gone afterwards", async () => {
  const body = `return await ui.custom((tui, theme, keys, done) => ({
      width: 30, invalidate() {},
      render: (width) => ["+" + "-".repeat(width - 2) + "+", "| over", "+" + "-".repeat(width - 2) + "+"],
      async handleInput(data) { if (data === "q") done("closed"); },
    }), { overlay: true, overlayOptions: { anchor: "top-right", width: 30 } });`;
  await using sitting = await going(body);
  sitting.say("/go");
  await sitting.terminal.until("| over");
  expect(await sitting.screen()).toMatchSnapshot();
  sitting.terminal.type("q");
  await sitting.terminal.until('"closed"');
  expect(await sitting.screen()).not.toContain("| over");
});

test("an editor of an extension takes the usual one's place with what was typed, and gives it back", async () => {
  const body = `
    class Loud extends CustomEditor { render(width) { return ["LOUD", ...super.render(width)]; } }
    ui.setEditorText("kept");
    ui.setEditorComponent((tui, theme, keys) => new Loud(tui, theme, keys));`;
  const source = `
    import { CustomEditor } from "@earendil-works/pi-coding-agent";
    export default function (pi) {
      pi.registerCommand("go", { handler: async (args, { ui }) => { ${body} } });
      pi.registerCommand("back", { handler: async (args, { ui }) => ui.setEditorComponent(undefined) });
    }`;
  await using sitting = await Sitting.start({ files: { "~/.pi/agent/extensions/loud.ts": source } });
  sitting.say("/go");
  expect(await sitting.terminal.until("LOUD")).toContain("kept");
  sitting.terminal.press("ctrl+c");
  sitting.say("/back");
  await sitting.terminal.until((screen) => !screen.includes("LOUD"));
  sitting.terminal.type("works");
  await sitting.terminal.until("works");
});

test("a component that throws while it draws or handles a key is reported, and the screen stays", async () => {
  const body = `ui.setWidget("bad", () => ({ invalidate() {}, render() { throw new Error("cannot draw"); } }));
    return await ui.custom((tui, theme, keys, done) => ({ invalidate() {}, render: () => ["press"], handleInput(data) {
      if (data === "x") throw new Error("cannot press"); done("alive"); } }));`;
  await using sitting = await going(body);
  sitting.say("/go");
  await sitting.terminal.until("press");
  sitting.terminal.type("x");
  await sitting.terminal.until("cannot press");
  sitting.terminal.press("enter");
  await sitting.terminal.until('"alive"');
  expect(await sitting.screen()).toContain("cannot draw");
});

test("lines that are too long, no text, or no list never break a frame", async () => {
  const body = `ui.setWidget("w", () => ({ invalidate() {}, render: () => ["x".repeat(500), 42, "a\\nb"] }));
    ui.setWidget("v", () => ({ invalidate() {}, render: () => "no list" }));`;
  await using sitting = await going(body);
  sitting.say("/go");
  await sitting.terminal.until("did not return a list of lines");
  expect(await sitting.screen()).toMatch(/x{80}\n42\s*\na\s*\nb/);
});

test("completions: commands, their arguments, files, and what extensions add", async () => {
  const source = `export default function (pi) {
    pi.registerCommand("paint", { description: "paints", getArgumentCompletions: (p) => ["red", "green"].map((value) => ({ value, label: value })).filter((item) => item.value.startsWith(p)), handler: async () => {} });
    pi.on("session_start", (event, ctx) => ctx.ui.addAutocompleteProvider((inner) => ({
      triggerCharacters: ["#"],
      async getSuggestions(lines, line, col, options) {
        const match = /#(\\w*)$/.exec(lines[line].slice(0, col));
        return match ? { items: [{ value: "#42", label: "#42 the answer" }], prefix: match[0] } : inner.getSuggestions(lines, line, col, options);
      },
      applyCompletion: (...args) => inner.applyCompletion(...args),
    })));
  }`;
  const files = { "~/.pi/agent/extensions/paint.ts": source, "src/deep/wanted.ts": "", "other.txt": "" };
  await using sitting = await Sitting.start({ files });
  const { terminal } = sitting;
  terminal.type("/pai");
  expect(await terminal.until("paints")).toContain("paint");
  terminal.press("tab");
  terminal.type("r");
  await terminal.until(/→ red/);
  terminal.press("tab", "ctrl+c");
  terminal.type("see @want");
  await terminal.until("src/deep/wanted.ts");
  terminal.press("tab");
  expect(await terminal.until("@src/deep/wanted.ts")).toContain("see @src/deep/wanted.ts");
  terminal.press("ctrl+c");
  terminal.type("fix #");
  await terminal.until("the answer");
});

test("a listener for keys may take them, change them, and be taken away", async () => {
  const body = `const undo = ui.onTerminalInput((data) => data === "a" ? { consume: true } : data === "b" ? { data: "B" } : data === "u" ? (undo(), { consume: true }) : undefined);`;
  await using sitting = await going(body);
  sitting.say("/go");
  await sitting.terminal.settled();
  sitting.terminal.type("aabbuab");
  expect(await sitting.screen()).toMatch(/\nBBab\s*\n/);
});

test("a notice of one line goes away by itself, a problem stays", async () => {
  await using sitting = await going('ui.notify("short"); ui.notify("trouble", "error");');
  sitting.say("/go");
  expect(await sitting.terminal.until("short")).toContain("✗ trouble");
  sitting.say("next");
  await sitting.terminal.until("Fine.");
  expect(await sitting.screen()).not.toContain("short");
  expect(await sitting.screen()).toContain("trouble");
});

test("themes: listed, chosen by name, a file's change is seen at once", async () => {
  const theme = (colour: string): string => JSON.stringify({ name: "mine", colors: { accent: colour, muted: colour } });
  const body = `return [ui.getAllThemes().map((one) => one.name), ui.setTheme("mine"), ui.setTheme("nobody's").success, ui.theme.name];`;
  await using sitting = await going(body, {
    size: LARGE,
    files: { "~/.hookline/themes/mine.json": theme("#010203") },
    env: { COLORTERM: "truecolor" },
  });
  sitting.say("/go");
  await sitting.terminal.until('[["dark","light","mine"],{"success":true},false,"mine"]');
  const before = await sitting.screen({ styles: true });
  sitting.write("~/.hookline/themes/mine.json", theme(201 as never));
  await sitting.terminal.until(() => sitting.terminal.text({ styles: true }).includes("201:"));
  expect(before).not.toContain("201:");
});

test("the working line shows a hook's text, and can be hidden", async () => {
  const source = `export default function (pi) {
    pi.on("agent_start", (event, ctx) => { ctx.ui.setWorkingMessage("Pondering"); ctx.ui.setWorkingIndicator({ frames: ["◐"] }); });
  }`;
  const files = { "~/.pi/agent/extensions/pondering.ts": source };
  await using sitting = await Sitting.start({ files, replies: [{ text: "slow", delayMs: 60_000 }] });
  sitting.say("go");
  await sitting.terminal.until("◐ Pondering");
  sitting.terminal.press("escape");
  await sitting.terminal.until((screen) => !screen.includes("Pondering"));
});
