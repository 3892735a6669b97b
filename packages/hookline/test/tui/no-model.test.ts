import { expect, test } from "vitest";
import { Sitting } from "../support/sitting.ts";
import { LARGE } from "../support/terminal.ts";

const GUARD = `export default (pi) => {
  pi.on("tool_call", ({ input }) => /rm -rf/.test(input.command) ? { block: true, reason: "no rm -rf" } : undefined);
};
`;

test("without a model the screen opens with the hooks, says what is missing, and plays a demo through the hooks", async () => {
  await using sitting = await Sitting.start({
    size: LARGE,
    hasModel: false,
    files: { "~/.pi/agent/extensions/guard.ts": GUARD },
  });
  const { terminal } = sitting;
  expect(await terminal.until("[Loaded]")).toContain("guard.ts");
  terminal.press("escape");
  const said = await terminal.until("Type demo");
  expect(said).toContain("No model can be used");
  expect(said).toContain("ANTHROPIC_API_KEY");
  sitting.say("fix the build");
  await terminal.until("Nothing was done.");
  sitting.say("demo");
  // The refusal names the guard.
  await terminal.until(/✗ .*guard\.ts:2: no rm -rf/);
  await terminal.until("That was the demo.");
  expect(await sitting.leave()).toBe(0);
});

test("a prompt on the command line of such a start does not open the panel", async () => {
  await using sitting = await Sitting.start({ size: LARGE, hasModel: false, args: ["fix the build"] });
  expect(await sitting.terminal.until("Nothing was done.")).not.toContain("[Loaded]");
});

test("the list of activity says what context a hook has added", async () => {
  const answer = JSON.stringify({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "Use pnpm." },
  });
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: `echo '${answer}'` }] }] };
  await using sitting = await Sitting.start({
    size: LARGE,
    files: { "~/.claude/settings.json": JSON.stringify({ hooks }) },
    replies: [{ text: "Installed." }],
  });
  const { terminal } = sitting;
  sitting.say("install it");
  await terminal.until("Installed.");
  await sitting.idle();
  sitting.say("/hooks");
  await terminal.until("[Loaded]");
  terminal.press("tab");
  await terminal.until(/UserPromptSubmit .*added: Use pnpm\./);
});
