import { expect, test } from "vitest";
import { Sitting } from "../support/sitting.ts";

const ASKS = JSON.stringify({
  hooks: {
    PreToolUse: [
      {
        hooks: [
          {
            type: "command",
            command: `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}'`,
          },
        ],
      },
    ],
  },
});

/** A sitting in which a hook has a person asked about a call. */
async function asked(): Promise<Sitting> {
  const sitting = await Sitting.start({
    files: { "~/.claude/settings.json": ASKS },
    replies: [{ toolCalls: [{ name: "bash", arguments: { command: "echo 1" } }] }, { text: "That was it." }],
  });
  sitting.say("go");
  await sitting.terminal.until("n no · e edit · w why");
  return sitting;
}

test("a question about a call can be answered with a reason", async () => {
  await using sitting = await asked();
  sitting.terminal.type("w");
  await sitting.terminal.until("Why not?");
  sitting.terminal.type("not today");
  sitting.terminal.press("enter");
  await sitting.terminal.until("That was it.");
  await sitting.terminal.until("not today");
});

test("a question about a call can be answered with other arguments", async () => {
  await using sitting = await asked();
  sitting.terminal.type("e");
  await sitting.terminal.until("Ctrl+S or Ctrl+Enter accept");
  // From the end of the text to behind the 1.
  sitting.terminal.press("up", "end", "left");
  sitting.terminal.type("5");
  sitting.terminal.press("ctrl+s");
  await sitting.terminal.until("That was it.");
  // The call is shown as the model has made it, with the result of the changed one.
  expect(sitting.terminal.text()).toMatch(/echo 1\n 15\n/);
});

test("arguments that are not JSON refuse the call", async () => {
  await using sitting = await asked();
  sitting.terminal.type("e");
  await sitting.terminal.until("Ctrl+S or Ctrl+Enter accept");
  sitting.terminal.type("x");
  sitting.terminal.press("ctrl+s");
  await sitting.terminal.until("its arguments are not JSON");
  await sitting.terminal.until("That was it.");
  expect(sitting.terminal.text()).toContain("sure?");
});
