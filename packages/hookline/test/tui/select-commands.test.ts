import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Sitting, type SittingOptions } from "../support/sitting.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

const MODELS = JSON.stringify({
  providers: {
    near: {
      baseUrl: "http://127.0.0.1:9",
      api: "openai-completions",
      apiKey: "none",
      models: [
        { id: "small", name: "Small", contextWindow: 8000, maxTokens: 1000 },
        { id: "deep", name: "Deep", reasoning: true, contextWindow: 128_000, maxTokens: 1000 },
      ],
    },
  },
});

const settings = ({ home }: Sitting): any => JSON.parse(readFileSync(join(home, ".hookline/settings.json"), "utf8"));

/** A sitting after two prompts. */
async function talked(options: SittingOptions = {}): Promise<Sitting> {
  const replies = [
    { text: "The month is off." },
    { text: "Tests are written." },
    { text: "SUMMARY of it", repeat: true },
  ];
  const sitting = await Sitting.start({ replies, ...options });
  sitting.say("look at the parser");
  await sitting.terminal.until("The month is off.");
  sitting.say("write tests");
  await sitting.terminal.until("Tests are written.");
  await sitting.idle();
  return sitting;
}

describe("/tree on the screen", () => {
  test.each([
    ["80×24", SMALL],
    ["120×40", LARGE],
  ])("goes back before a message and puts it into the editor (%s)", async (_, size) => {
    await using sitting = await talked({ size });
    sitting.say("/tree");
    const tree = await sitting.terminal.until("← here");
    expect(tree).toMatch(/• user: look at the parser\n\s+• assistant: The month is off\.\n\s+• user: write tests/);
    sitting.terminal.press("up", "enter");
    await sitting.terminal.until("Summarise the branch that you are leaving? 1 entry is left behind");
    sitting.terminal.press("enter");
    await sitting.terminal.until((screen) => !screen.includes("Tests are written."));
    expect(await sitting.screen()).toMatch(/─\nwrite tests *\n─/);
  });

  test("leaves a summary of what is left, and takes a label", async () => {
    await using sitting = await talked();
    sitting.say("/tree");
    await sitting.terminal.until("← here");
    sitting.terminal.press("home", "down", "ctrl+l");
    await sitting.terminal.until("A label for: assistant: The month is off.");
    sitting.say("found");
    await sitting.terminal.until("[found] assistant");
    sitting.terminal.press("enter");
    await sitting.terminal.until("Summarise the branch that you are leaving?");
    sitting.terminal.press("down", "enter");
    await sitting.terminal.until((screen) => !screen.includes("Tests are written."));
    sitting.say("/tree");
    const tree = await sitting.terminal.until("← here");
    expect(tree).toContain("branch_summary:");
    expect(tree).toContain("[found]");
    expect(tree).toContain("▾ user: write tests");
    sitting.terminal.press("escape");
  });
});

test("/model and /thinking ask, and the footer shows what was chosen", async () => {
  await using sitting = await Sitting.start({ files: { "~/.hookline/models.json": MODELS }, size: LARGE });
  sitting.say("/model");
  const list = await sitting.terminal.until("Choose a model");
  expect(list).toMatch(/near\/deep +128k · thinks/);
  sitting.terminal.type("deep");
  sitting.terminal.press("enter");
  await sitting.terminal.until(/near\/deep • medium$/m);
  sitting.say("/thinking");
  const levels = await sitting.terminal.until("medium ✓");
  expect(levels).not.toContain("xhigh");
  sitting.terminal.press("down", "enter");
  await sitting.terminal.until(/near\/deep • high$/m);
  sitting.say("/thinking");
  await sitting.terminal.until("high ✓");
  sitting.terminal.press("escape");
  expect(await sitting.screen()).toMatch(/near\/deep • high$/m);
});

test("/settings writes what was changed, and nothing when the person gives up", async () => {
  await using sitting = await Sitting.start();
  sitting.say("/settings");
  await sitting.terminal.until("order in which the lanes, such as claude and pi, are asked");
  sitting.terminal.press("escape");
  await sitting.terminal.until((screen) => !screen.includes("Settings"));
  expect(existsSync(join(sitting.home, ".hookline/settings.json"))).toBe(false);
  sitting.say("/settings");
  await sitting.terminal.until("Settings");
  sitting.terminal.type("compaction.enabled");
  sitting.terminal.press("enter");
  await sitting.terminal.until("false *");
  sitting.terminal.press("escape");
  expect(settings(sitting)).toEqual({ compaction: { enabled: false } });
});

test("/theme previews, keeps what was chosen, and follows the file's changes", async () => {
  const theme = (accent: string) => JSON.stringify({ name: "mine", colors: { accent, border: accent } });
  const files = { "~/.hookline/themes/mine.json": theme("#102030") };
  await using sitting = await Sitting.start({ files, env: { COLORTERM: "truecolor" } });
  const styled = (): string => sitting.terminal.text({ styles: true });
  sitting.say("/theme");
  await sitting.terminal.until("mine");
  sitting.terminal.press("end");
  await sitting.terminal.until("→ mine");
  sitting.terminal.press("escape");
  await sitting.terminal.settled();
  sitting.say("/theme");
  await sitting.terminal.until("dark ✓");
  sitting.terminal.press("end", "enter");
  await sitting.terminal.until((screen) => !screen.includes("→ mine"));
  expect(settings(sitting)).toEqual({ theme: "mine" });
  sitting.say("/thinking");
  await sitting.terminal.until("medium ✓");
  const colour = (): string => /‹(#[0-9a-f]{6}|\d+):──/.exec(styled())?.[1] ?? "";
  const before = colour();
  writeFileSync(join(sitting.home, ".hookline/themes/mine.json"), theme("#f0e0d0"));
  await sitting.terminal.until(() => colour() !== before);
  sitting.terminal.press("escape");
});

test("/context continues in another context, or a new one", async () => {
  const files = { "~/.chibi/contexts/release/system_prompt.md": "You release." };
  await using sitting = await Sitting.start({ files, args: ["--context", "default"] });
  sitting.say("/context");
  await sitting.terminal.until("+ a new context");
  sitting.terminal.type("release");
  sitting.terminal.press("enter");
  await sitting.terminal.until("Context: release");
  await sitting.idle();
  sitting.say("/context");
  await sitting.terminal.until("release ✓");
  sitting.terminal.press("escape");
});

test("/trust approves what was skipped at the start, and it runs without a restart", async () => {
  const extension = `export default function (pi) {
  pi.registerCommand("greet", { description: "greets", handler: async (_args, ctx) => ctx.ui.notify("good morning", "info") });
}
`;
  await using sitting = await Sitting.start({ files: { ".pi/extensions/greet.ts": extension }, isEarly: true });
  await sitting.terminal.until("This project wants to run .pi/extensions/greet.ts");
  sitting.terminal.press("escape");
  await sitting.terminal.until("Model: script");
  await sitting.idle();
  sitting.say("/trust");
  await sitting.terminal.until("pending");
  sitting.terminal.press("enter", "end");
  await sitting.terminal.until("y approve exactly this");
  sitting.terminal.type("y");
  await sitting.terminal.until("Approved.");
  sitting.terminal.press("escape");
  sitting.say("/greet");
  await sitting.terminal.until("good morning");
  await sitting.idle();
  sitting.say("/trust revoke");
  await sitting.terminal.until("no longer approved");
});
