import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ageText, UNDO_HELP, undoCommand, undoOffers } from "../../src/undo/command.ts";
import { openUndo } from "../../src/undo/undo.ts";
import { Place } from "./support/session.ts";

let place: Place;
let asked: string[];

beforeEach(() => {
  place = new Place();
  asked = [];
});

afterEach(() => place.end());

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(words: readonly string[], answer: boolean | "nobody" = true): Promise<Answer> {
  const texts = { out: "", err: "" };
  const code = await undoCommand(words, {
    out: (text) => (texts.out += text),
    err: (text) => (texts.err += text),
    ask: answer === "nobody" ? undefined : async (question) => asked.push(question) > 0 && answer,
    cwd: place.project,
    home: place.home,
    personHome: place.personHome,
    now: () => Date.now(),
  });
  return { code, ...texts };
}

async function before(label: string, act: () => void): Promise<number> {
  const made = await openUndo({ ...place, timeLimitMs: 60_000 }).checkpoint(label);
  if ("because" in made) throw new Error(made.because);
  act();
  return made.checkpoint.number;
}

const content = (path: string): string => readFileSync(join(place.project, path), "utf8");

test("undo brings back what the last call changed, then what the call before it changed, and can be taken back", async () => {
  place.write("a", "1");
  await before("echo 2 > a", () => place.write("a", "2"));
  await before("rm a", () => place.run("rm a; echo n > new"));
  const first = await run([]);
  expect(first).toEqual({
    code: 0,
    out: "Going back to checkpoint 2 will:\n  bring back a\n  keep new (it appeared since; --delete-new deletes it)\nBack at checkpoint 2: 1 change.\nTo take this back: hookline undo 3 --delete-new\n",
    err: "",
  });
  expect(asked).toEqual(["Go back to checkpoint 2?"]);
  expect(content("a")).toBe("2");
  expect(existsSync(join(place.project, "new"))).toBe(true);
  await run(["--delete-new", "--yes", "2"]);
  expect((await run([])).out).toContain("Going back to checkpoint 1 will:\n  overwrite a\n");
  expect(content("a")).toBe("1");
  await run(["3", "--yes", "--delete-new"]);
  expect(existsSync(join(place.project, "a"))).toBe(false);
});

test("each checkpoint that would bring something back is offered with what it would do, newest first", async () => {
  place.write("a", "1");
  await before("echo 2 > a", () => place.write("a", "2"));
  await before("rm a\n", () => place.run("rm a"));
  await before("true", () => {});
  const { project: cwd, home, personHome } = place;
  const offered = async (): Promise<unknown> => {
    const offers = await undoOffers({ cwd, home, personHome });
    return "because" in offers ? offers : offers.map(({ does, ...offer }) => ({ ...offer, does: does() }));
  };
  expect(await offered()).toEqual([
    { number: 2, before: "rm a", age: "just now", does: ["bring back a"] },
    { number: 1, before: "echo 2 > a", age: "just now", does: ["bring back a"] },
  ]);
  await run(["--yes", "2"]);
  place.write("new", "n");
  const kept = (name: string) => `keep ${name} (it appeared since; --delete-new deletes it)`;
  expect(await offered()).toMatchObject([
    { number: 4, before: "undo to 2", does: [kept("a"), kept("new")] },
    { number: 3, does: [kept("a"), kept("new")] },
    { number: 2, does: [kept("new")] },
    { number: 1, does: ["overwrite a", kept("new")] },
  ]);
  expect(await undoOffers({ cwd: personHome, home, personHome })).toMatchObject({ because: /No undo here/ });
});

test("a person who declines changes nothing, and where nobody can be asked --yes is needed", async () => {
  place.write("a", "1");
  await before("x", () => place.write("a", "2"));
  expect(await run([], false)).toMatchObject({ code: 1, out: expect.stringContaining("Nothing was changed.") });
  expect(await run([], "nobody")).toMatchObject({ code: 1, err: expect.stringContaining("--yes") });
  expect(content("a")).toBe("2");
  expect(await run(["--yes"], "nobody")).toMatchObject({ code: 0 });
  expect(content("a")).toBe("1");
});

test("--file brings back that file only", async () => {
  place.write("a", "1");
  place.write("d/b", "1");
  await before("x", () => place.run("rm -r a d; echo 2 > c"));
  expect((await run(["--file", "d/b"])).out).toContain("will:\n  bring back d/b\nBack");
  expect([existsSync(join(place.project, "a")), content("d/b")]).toEqual([false, "1"]);
  expect(await run(["1", "--file", "absent"])).toMatchObject({
    code: 1,
    err: "Not restored: the checkpoint has no absent.\n",
  });
  expect(await run(["1", "--file", "../person"])).toMatchObject({ code: 1 });
});

test("--list and --diff show and change nothing", async () => {
  place.run("git init -q -b main; echo 1 > a; git add a; git commit -qm one; git branch t; echo edit > a; echo u > u");
  expect(await run(["--list"])).toMatchObject({ code: 0, out: expect.stringContaining("No checkpoints yet") });
  await before("git clean\n-fd\u001b[31m", () =>
    place.run("git checkout -q a; git clean -fdq; git branch -qD t; git stash -q"),
  );
  expect((await run(["--list"])).out).toMatch(/^1 {2}just now {8}before: git clean -fd \[31m\n$/);
  const { code, out } = await run(["--diff"]);
  expect(code).toBe(0);
  expect(out).toContain(
    "Deleted 1 file that git did not have: u.\nChanged 1 file with edits that git did not have: a.\nDeleted branch t, which was ",
  );
  expect(out).toContain("\nM a\nD u\n");
  expect(out).toContain("-edit\n+1\n");
  expect(content("a")).toBe("1\n");
});

test("a dropped stash and a moved branch are told", async () => {
  place.run(
    "git init -q -b main; echo 1 > a; git add a; git commit -qm one; git commit -q --allow-empty -m two; echo 2 > a; git stash -q",
  );
  const number = await before("x", () => place.run("git stash drop -q; git reset -q --hard HEAD~1"));
  const { out } = await run(["--diff", `${number}`]);
  expect(out).toMatch(/^Moved branch main from [0-9a-f]{10} to [0-9a-f]{10}\.$/m);
  expect(out).toMatch(/^Deleted stash entry "WIP on main: .* two", which was [0-9a-f]{10}\.$/m);
});

test.each([
  [["x"], 2, '"x" is not the number of a checkpoint. `hookline undo --list` shows them.'],
  [["1", "2"], 2, 'Unexpected argument "2". Give the number of one checkpoint.'],
  [["--nonsense"], 2, "--nonsense"],
  [["9"], 1, "There is no checkpoint 9."],
  [[], 1, "Nothing to undo: no checkpoint differs from what is there."],
])("words that cannot be done are told: %j", async (words, code, sentence) => {
  expect(await run(words)).toMatchObject({ code, err: expect.stringContaining(sentence) });
});

test("help is shown", async () => {
  expect(await run(["--help"])).toEqual({ code: 0, out: UNDO_HELP, err: "" });
});

test.each([
  [0, "just now"],
  [60_000, "1 minute ago"],
  [7_200_000, "2 hours ago"],
  [200_000_000, "2 days ago"],
])("an age of %i ms is %s", (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
