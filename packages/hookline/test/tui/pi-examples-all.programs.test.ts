import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasPiExamples, piExample } from "../support/pi-examples.ts";
import { Sitting, type SittingOptions } from "../support/sitting.ts";
import { LARGE } from "../support/terminal.ts";

/** pi's own example, as it was shipped, on a roomy screen. */
function sitWith(example: string, options: SittingOptions = {}): Promise<Sitting> {
  return Sitting.start({ size: LARGE, ...options, args: ["-e", piExample(example), ...(options.args ?? [])] });
}

const bash = (command: string) => ({ toolCalls: [{ name: "bash", arguments: { command } }] });

describe.skipIf(!hasPiExamples)("pi's examples that show and ask while the agent works", () => {
  test("status-line: the footer follows the turns", async () => {
    await using sitting = await sitWith("status-line.ts");
    expect(await sitting.screen()).toContain("Ready");
    sitting.say("hello");
    await sitting.terminal.until("✓ Turn 1 complete");
  });

  test("titlebar-spinner: the title turns while the agent works, and rests afterwards", async () => {
    await using sitting = await sitWith("titlebar-spinner.ts", { replies: [{ text: "Fine.", delayMs: 300 }] });
    sitting.say("hello");
    await sitting.terminal.until("Fine.");
    await sitting.terminal.until(() => sitting.terminal.title.startsWith("π - "));
    expect(sitting.terminal.titles.some((title) => /^[⠋⠙⠹⠸] π - /.test(title))).toBe(true);
  });

  test("border-status-editor: model and folder are in the editor's border, the footer is gone", async () => {
    await using sitting = await sitWith("border-status-editor.ts");
    const screen = await sitting.terminal.until(/─ script\/script · medium ─/);
    expect(screen.split("\n").at(-1)).toMatch(/─ script\/script · medium ─+.* ctx \S+ · .*─$/);
  });

  test("hidden-thinking-label: hidden thinking has the extension's words", async () => {
    const replies = [{ thinking: "secret thoughts", text: "Fine." }];
    await using sitting = await sitWith("hidden-thinking-label.ts", { replies });
    sitting.terminal.press("ctrl+t");
    sitting.say("/thinking-label Musing...");
    sitting.say("hello");
    await sitting.terminal.until("Fine.");
    const screen = await sitting.screen();
    expect(screen).toContain("Musing...");
    expect(screen).not.toContain("secret thoughts");
  });

  test("permission-gate: a dangerous command waits for the person, and a no reaches the model", async () => {
    const replies = [bash("rm -rf not/there/at/all"), { text: "I did not.", repeat: true }];
    await using sitting = await sitWith("permission-gate.ts", { replies });
    sitting.say("clean up");
    expect(await sitting.terminal.until("Dangerous command:")).toContain("rm -rf not/there/at/all");
    sitting.terminal.press("down", "enter");
    await sitting.terminal.until("I did not.");
    expect(await sitting.screen()).toContain("Blocked by user");
  });

  test("timed-confirm: counts down, and a yes in time counts", async () => {
    await using sitting = await sitWith("timed-confirm.ts");
    sitting.say("/timed");
    await sitting.terminal.until(/closes in [345] s/);
    sitting.terminal.type("y");
    await sitting.terminal.until("Confirmed by user!");
    await sitting.idle();
    sitting.say("/timed-select");
    await sitting.terminal.until("Pick an option");
    sitting.terminal.press("down", "enter");
    await sitting.terminal.until("Selected: Option B");
  });

  test("rpc-demo: a line of input, an editor and a text put into the prompt", async () => {
    await using sitting = await sitWith("rpc-demo.ts");
    sitting.say("/rpc-input");
    await sitting.terminal.until("Enter a value");
    sitting.say("a value");
    await sitting.terminal.until("You entered: a value");
    await sitting.idle();
    sitting.say("/rpc-editor");
    await sitting.terminal.until("Line 3");
    sitting.terminal.press("enter");
    await sitting.terminal.until("Editor submitted (3 lines)");
    await sitting.idle();
    sitting.say("/new");
    await sitting.terminal.until("All messages will be lost.");
    sitting.terminal.type("n");
    await sitting.terminal.until("Clear cancelled");
  });

  test("question: the model's question, a written answer, drawn in the chat", async () => {
    const question = { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] };
    const replies = [{ toolCalls: [{ name: "question", arguments: question }] }, { text: "Thank you.", repeat: true }];
    await using sitting = await sitWith("question.ts", { replies });
    sitting.say("ask me");
    await sitting.terminal.until("3. Type something.");
    sitting.terminal.press("down", "enter");
    await sitting.terminal.until("Thank you.");
    expect(await sitting.screen()).toContain("2. Blue");
  });

  test("tic-tac-toe: the model's tool and the person's board", async () => {
    await using sitting = await sitWith("tic-tac-toe.ts");
    sitting.say("/tic-tac-toe");
    const board = await sitting.terminal.until("│");
    expect(board.split("\n").filter((line) => line.includes("│")).length).toBeGreaterThan(2);
    sitting.terminal.press("escape");
  });
});

/** Examples whose commands end the session, or need a program or service that is not here. */
const OTHERWISE = new Set(["shutdown-command.ts", "ssh.ts"]);

function examples(): string[] {
  if (!hasPiExamples) return [];
  return readdirSync(piExample(".")).filter((name) => name.endsWith(".ts") && !OTHERWISE.has(name));
}

describe.skipIf(!hasPiExamples)("every example of pi's, its commands one after the other", () => {
  test.each(examples())("%s leaves the screen as it was, and the agent goes on", async (name) => {
    const text = readFileSync(piExample(name), "utf8");
    const commands = [...text.matchAll(/registerCommand\("([^"]+)"/g)].flatMap(([, command]) => command ?? []);
    await using sitting = await sitWith(name, { replies: [{ text: "Fine.", repeat: true }], isEarly: true });
    // Some put a header or a footer of their own in the place of those that name the model.
    await sitting.terminal.until(/Model: script|script\/script/);
    expect(await sitting.screen()).not.toMatch(/broken|could not be loaded/);
    for (const command of commands) {
      sitting.say(`/${command}`);
      await sitting.terminal.settled();
      sitting.terminal.press("escape");
      await sitting.terminal.settled();
      sitting.terminal.press("escape", "ctrl+u");
    }
    sitting.say("are you still there?");
    const screen = await sitting.terminal.until((shown) => /still there\?[\s\S]*Fine\./.test(shown));
    expect(screen).not.toMatch(/(Command \/\S+|component|renderer|editor|widget|header|footer)\b.* failed/i);
  });
});
