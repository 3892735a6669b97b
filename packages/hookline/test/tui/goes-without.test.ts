import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Sitting } from "../support/sitting.ts";

const EXTENSION = "~/.pi/agent/extensions/g.ts";
const BROKEN = "export default (pi => {\n";
const QUESTION = /1 hook or file cannot be used:/;
/** The file that remembers which hooks a person has agreed to go without. */
const KEPT = "~/.hookline/goes-without.json";

describe("a hook of pi that does not load, on a screen", () => {
  test("is asked about before anything else, and Enter quits", async () => {
    await using sitting = await Sitting.start({ files: { [EXTENSION]: BROKEN }, isEarly: true });
    await sitting.terminal.until(QUESTION);
    expect((await sitting.screen()).replace(/\s+/g, " ")).toContain(
      "- /home/.pi/agent/extensions/g.ts: Failed to load",
    );
    sitting.terminal.press("enter");
    expect(await sitting.code).toBe(1);
    expect(sitting.err).toContain("The run was not started");
  });

  test.each([
    ["the same", BROKEN, /Model: script/],
    ["changed", `${BROKEN}//\n`, QUESTION],
  ])("is asked about once for the same bytes: %s", async (_, text, shown) => {
    await using first = await Sitting.start({ files: { [EXTENSION]: BROKEN }, isEarly: true });
    await first.terminal.until(QUESTION);
    first.terminal.press("down", "enter");
    await first.terminal.until(/Model: script/);
    const kept = readFileSync(join(first.home, ".hookline/goes-without.json"), "utf8");
    await using second = await Sitting.start({
      files: { [EXTENSION]: text, [KEPT]: "[]" },
      prepare: ({ home }) =>
        writeFileSync(join(home, ".hookline/goes-without.json"), kept.replaceAll(first.home, home)),
      isEarly: true,
    });
    await second.terminal.until(shown);
  });
});

test("a person who declines what a project requires sees so in the footer", async () => {
  await using sitting = await Sitting.start({
    files: { ".hookline/settings.json": '{ "required": [".pi/extensions/guard.ts"] }' },
    isEarly: true,
  });
  await sitting.terminal.until(QUESTION);
  sitting.terminal.press("down", "enter");
  await sitting.terminal.until(/Model: script/);
  expect(await sitting.screen()).toContain("⚠ without this project's required hook: .pi/extensions/guard.ts");
});
