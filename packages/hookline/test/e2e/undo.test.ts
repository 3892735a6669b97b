import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { copyOf, differences } from "../../../guards/test/undo/support/copy.ts";
import { Workplace } from "../support/cli.ts";

/** The guard `undo` and its command, with the built program as a user starts it. */
let place: Workplace;

beforeEach(() => {
  place = new Workplace();
  place.write("~/.hookline/guards/undo.ts", 'import { undo } from "@hookline/guards";\nexport default undo();\n');
});

afterEach(() => place.remove());

function shell(command: string): string {
  const env = { ...CHILD_ENV, HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("sh", ["-c", command], { cwd: place.project, env, encoding: "utf8" });
}

const GIT = "git -c user.name=A -c user.email=a@example.com";
/** Whether undo restores a path, including git's refs, index and stash; git may store its objects in other files. */
const isKept = (path: string): boolean => !/^\.git\/objects|^s\.yaml$/.test(path);

function session(...commands: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  const calls = commands.map((command) => ({ toolCalls: [{ name: "bash", arguments: { command } }] }));
  const script = place.write("s.yaml", JSON.stringify({ replies: [...calls, { text: "done" }] }));
  return place.run(["-p", "--script", script, "go"]);
}

test("what a session deleted and reset is back bit for bit after `hookline undo`", async () => {
  place.write(".gitignore", ".env\n");
  place.write("tracked.txt", "committed\n");
  shell(
    `git init -q -b main; git add -A; ${GIT} commit -qm one; git branch topic; echo edit > tracked.txt; ${GIT} stash -q`,
  );
  place.write("tracked.txt", "edited\n");
  place.write("staged.txt", "staged\n");
  shell("git add staged.txt");
  place.write(".env", "KEY=1\n");
  place.write("notes/draft.txt", "draft\n");
  place.write("run.sh", "#!/bin/sh\n", "x");
  const before = copyOf(place.project, isKept);
  const gone =
    "rm -rf notes .env run.sh; git reset -q --hard; git branch -q -D topic; git stash clear; git gc -q --prune=now";
  const { code, out, err } = await session("git status --short", gone);
  expect([code, out]).toEqual([0, "done\n"]);
  expect(err).toContain("Deleted 4 files that git did not have: .env, notes/draft.txt, run.sh, staged.txt.");
  expect(err).toContain("`hookline undo 1` brings it back.");
  expect(existsSync(join(place.project, "notes"))).toBe(false);
  expect(statSync(join(place.home, ".hookline", "undo")).mode & 0o777).toBe(0o700);

  const list = await place.run(["undo", "--list"]);
  expect(list.out).toMatch(/^1 {2}\S.* before: rm -rf notes \.env run\.sh;/);
  const diff = await place.run(["undo", "--diff"]);
  expect(diff.out).toContain("Deleted 4 files that git did not have");
  const unasked = await place.run(["undo"]);
  expect([unasked.code, unasked.err]).toEqual([
    1,
    "Nobody can be asked here. Add --yes to do this without a question.\n",
  ]);
  expect(unasked.out).toContain("bring back notes/draft.txt");
  expect(existsSync(join(place.project, "notes"))).toBe(false);

  const one = await place.run(["undo", "--yes", "--file", "notes"]);
  expect([one.code, readFileSync(join(place.project, "notes/draft.txt"), "utf8")]).toEqual([0, "draft\n"]);
  expect(existsSync(join(place.project, ".env"))).toBe(false);
  const all = await place.run(["undo", "1", "--yes"]);
  expect([all.code, all.err]).toEqual([0, ""]);
  expect(differences(copyOf(place.project, isKept), before)).toEqual([]);
  expect(shell("git stash list; git fsck 2>&1 | grep missing || true")).toMatch(/^stash@\{0\}: WIP on main/);
});

test("words that cannot be done are told with what to do", async () => {
  const run = async (...words: readonly string[]) => {
    const { code, out, err } = await place.run(["undo", ...words]);
    return [code, (out + err).split("\n")[0]];
  };
  expect(await run("--list")).toEqual([0, "No checkpoints yet: none of the calls here may have changed something."]);
  expect(await run()).toEqual([1, "Nothing to undo: no checkpoint differs from what is there."]);
  expect(await run("7")).toEqual([1, "There is no checkpoint 7. `hookline undo --list` shows them."]);
  expect(await run("x")).toEqual([2, '"x" is not the number of a checkpoint. `hookline undo --list` shows them.']);
  expect(await run("1", "2")).toEqual([2, expect.stringContaining('`hookline undo` has no use for "2"')]);
  expect(await run("--cwd", place.home)).toEqual([1, expect.stringMatching(/^No undo here: .* is a home folder/)]);
  expect(await run("--help")).toEqual([0, expect.stringMatching(/^Usage: hookline undo \[NUMBER\]/)]);
});

test("a person's settings hold, in the guard and in the command", async () => {
  place.write("~/.hookline/settings.json", JSON.stringify({ "guards.undo.exclude": ["big"] }));
  place.write("big/a", "a");
  place.write("b", "b");
  await session("rm -rf big b");
  const { out } = await place.run(["undo", "--yes"]);
  expect(out).toContain("bring back b\n");
  expect([existsSync(join(place.project, "b")), existsSync(join(place.project, "big"))]).toEqual([true, false]);
});
