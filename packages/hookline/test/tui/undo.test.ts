import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Sitting } from "../support/sitting.ts";

const GUARD = { "~/.hookline/guards/undo.ts": 'import { undo } from "@hookline/guards";\nexport default undo();\n' };

const calls = (...commands: readonly string[]): object[] => [
  ...commands.map((command) => ({ toolCalls: [{ name: "bash", arguments: { command } }] })),
  { text: "All done." },
];

/** A sitting in which the model has run commands. */
async function worked(...commands: readonly string[]): Promise<Sitting> {
  const files = { ...GUARD, "notes.md": "draft\n", "list.md": "one\n" };
  const sitting = await Sitting.start({ files, replies: calls(...commands) });
  sitting.say("clean up");
  await sitting.terminal.until("All done.");
  await sitting.idle();
  return sitting;
}

const text = (sitting: Sitting, name: string): string | undefined => {
  const path = join(sitting.project, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
};

/** Waits for words, wherever the screen breaks the line. */
const told = (sitting: Sitting, words: string): Promise<string> =>
  sitting.terminal.until((screen) => screen.replace(/\s+/g, " ").includes(words));

/** The screens of the guide, by their names. */
const guide = new Map(
  [
    ...readFileSync(new URL("../../../../docs/guide/undo.md", import.meta.url), "utf8").matchAll(
      /^```screen (\w+)\n([\s\S]*?)^```$/gm,
    ),
  ].map(([, name, block]) => [name, block]),
);

/** The dialog on a screen, without what is around it. */
const dialogOn = (screen: string): string => /^── [\s\S]*(?=^\/)/m.exec(screen)?.[0] ?? "";

test("/undo lists the checkpoints with what each would bring back, shows what will change, and restores after a yes", async () => {
  await using sitting = await worked("echo two > list.md", "rm notes.md");
  const { terminal } = sitting;
  sitting.say("/undo");
  const list = await terminal.until("see what will change");
  expect(list).toMatch(/→ 2 before: rm notes\.md +just now\n +1 before: echo two > list\.md +just now\n/);
  expect(list).toMatch(/^ +bring back notes\.md$/m);
  expect(list).not.toContain("overwrite list.md");
  expect(dialogOn(list)).toBe(guide.get("undo"));
  terminal.press("down");
  await terminal.until("overwrite list.md");
  terminal.press("enter");
  const page = await terminal.until("Go back to checkpoint 1?");
  expect(page).toMatch(/Going back to checkpoint 1 will:\n +overwrite list\.md\n +bring back notes\.md\n/);
  expect(dialogOn(page)).toBe(guide.get("confirm"));
  expect([text(sitting, "notes.md"), text(sitting, "list.md")]).toEqual([undefined, "two\n"]);
  terminal.type("y");
  expect(await terminal.until("Back at checkpoint 1: 2 changes.")).toContain(
    "To take this back: /undo 3 --delete-new\n",
  );
  expect([text(sitting, "notes.md"), text(sitting, "list.md")]).toEqual(["draft\n", "one\n"]);
  sitting.say("/undo 3 --delete-new");
  await terminal.until("Go back to checkpoint 3?");
  terminal.type("y");
  await terminal.until("Back at checkpoint 3");
  expect([text(sitting, "notes.md"), text(sitting, "list.md")]).toEqual([undefined, "two\n"]);
});

test("/undo changes nothing when the person gives up at either step, and says so at the second", async () => {
  await using sitting = await worked("rm notes.md");
  const { terminal } = sitting;
  sitting.say("/undo");
  await terminal.until("before: rm notes.md");
  terminal.press("escape");
  await terminal.until((screen) => !screen.includes("see what will change"));
  expect(await sitting.screen()).not.toContain("Nothing was changed.");
  sitting.say("/undo 1");
  await terminal.until("Go back to checkpoint 1?");
  terminal.press("escape");
  await terminal.until("Nothing was changed.");
  expect(text(sitting, "notes.md")).toBeUndefined();
});

test("/undo says what to type where there is nothing to undo, and where the guard does not run", async () => {
  await using sitting = await worked("true");
  sitting.say("/undo");
  await told(sitting, "Nothing to undo: no checkpoint differs from what is there. Type /undo again after a call");
  await using bare = await Sitting.start({ files: { "notes.md": "draft\n" }, replies: calls("rm notes.md") });
  bare.say("clean up");
  await bare.terminal.until("All done.");
  await bare.idle();
  bare.say("/undo");
  await told(
    bare,
    "the guard undo does not run here, so calls get no checkpoint. Type `!!hookline guards add undo`, then /reload.",
  );
  // Reloaded, it runs, and the same words would be wrong.
  bare.write("~/.hookline/guards/undo.ts", Object.values(GUARD)[0] as string);
  bare.say("/reload");
  await bare.terminal.until(/Reloaded: [1-9]/);
  bare.say("/undo");
  await told(bare, "no checkpoint differs from what is there");
});

test("/undo offers what there is although the guard no longer runs, and refuses a wrong number with what to type", async () => {
  await using sitting = await worked("rm notes.md");
  const { terminal } = sitting;
  rmSync(join(sitting.home, ".hookline/guards/undo.ts"));
  sitting.say("/reload");
  await terminal.until("Reloaded:");
  await sitting.idle();
  sitting.say("/undo");
  expect(await terminal.until("before: rm notes.md")).toContain("the guard undo does not run");
  terminal.press("escape");
  sitting.say("/undo 9");
  await terminal.until("There is no checkpoint 9.");
  await sitting.idle();
  sitting.say("/undo last");
  await terminal.until('"last" is not the number of a checkpoint.');
});

test("/undo waits for no model: it says how to stop it", async () => {
  const files = { ...GUARD, "notes.md": "draft\n" };
  await using sitting = await Sitting.start({ files, replies: calls("rm notes.md; sleep 60") });
  sitting.say("clean up");
  await sitting.terminal.until(() => text(sitting, "notes.md") === undefined);
  sitting.say("/undo");
  await told(sitting, "The model is working. Esc stops it; then type /undo.");
  sitting.terminal.press("escape");
  await sitting.terminal.until(/[Aa]borted|[Ii]nterrupted|stopped/);
  await sitting.idle();
  sitting.say("/undo");
  await sitting.terminal.until("before: rm notes.md; sleep 60");
  sitting.terminal.press("enter");
  await sitting.terminal.until("Go back to checkpoint 1?");
  sitting.terminal.type("y");
  await sitting.terminal.until("Back at checkpoint 1");
  expect(text(sitting, "notes.md")).toBe("draft\n");
});
