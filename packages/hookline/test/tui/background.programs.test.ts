import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startProgram } from "../agent/program.ts";
import { Sitting } from "../support/sitting.ts";

const settings = (...commands: readonly string[]): string =>
  JSON.stringify({
    hooks: {
      UserPromptSubmit: [{ hooks: commands.map((command) => ({ type: "command", command, async: true })) }],
    },
  });

const UNTIL = (name: string): string => `touch ${name}.begun; while [ ! -e ${name}.go ]; do sleep 0.05; done`;

test("background hooks are shown in the footer and in /hooks, where they can be ended", async () => {
  await using sitting = await Sitting.start({
    files: { "~/.claude/settings.json": settings(UNTIL("a"), "sleep 600") },
    replies: [{ text: "Fine." }, { text: "Again." }],
  });
  const { terminal } = sitting;
  expect(await sitting.screen()).not.toContain("in the background");
  sitting.say("go");
  await terminal.until(/in the background: 2 hooks; \/hooks lists them/);
  await expect.poll(() => existsSync(join(sitting.project, "a.begun"))).toBe(true);
  await terminal.until(/Fine\./);
  sitting.say("/hooks");
  await terminal.until(/Hooks \[Loaded\].*Background/);
  terminal.press("shift+tab");
  await terminal.until(/\[Background\].*2 hooks run/);
  const shown = await sitting.screen();
  expect(shown).toMatch(/→ UserPromptSubmit hook .*settings\.json#…\/0\/hooks\/0 .*\n.*settings\.json#…\/0\/hooks\/1 /);
  expect(shown).toContain("x end it");
  terminal.press("down");
  terminal.type("x");
  await terminal.until(/\[Background\].*1 hook runs/);
  writeFileSync(join(sitting.project, "a.go"), "");
  await terminal.until(/Nothing runs in the background any more/);
  terminal.press("escape");
  await terminal.until(/^(?![\s\S]*in the background)/);
  sitting.say("/hooks");
  await terminal.until(/Hooks \[Loaded\]/);
  expect(await sitting.screen()).not.toContain("Background");
  terminal.press("escape");
});

test("a print run lists on stderr the hooks that it has ended", async () => {
  const program = await startProgram({
    args: ["-p", "go"],
    files: { "~/.claude/settings.json": settings("sleep 600") },
    replies: [{ text: "Fine." }],
  });
  const { code, out, err } = await program.finished;
  expect({ code, out }).toEqual({ code: 0, out: "Fine.\n" });
  expect(err).toMatch(/UserPromptSubmit hook \S*settings\.json:1 was still running in the background, and was ended/);
});
