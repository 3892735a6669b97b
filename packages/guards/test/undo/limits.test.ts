import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSettings } from "../../src/settings.ts";
import { type Made, openUndo, type Refusal, type UndoOptions } from "../../src/undo/undo.ts";
import { copyOf, differences } from "./support/copy.ts";
import { Place } from "./support/session.ts";

/** How many checkpoints are taken of one repository; 1,000 in a long run. */
const MANY = Number(
  process.env["HOOKLINE_UNDO_CHECKPOINTS"] ?? (process.env["HOOKLINE_TESTS"] === "undo" ? 1_000 : 20),
);
const DAY_MS = 24 * 60 * 60_000;

let place: Place;

beforeEach(() => {
  place = new Place();
});

afterEach(() => place.end());

const open = (options: Partial<UndoOptions> = {}): ReturnType<typeof openUndo> =>
  openUndo({ ...place, timeLimitMs: 60_000, ...options });

function number(made: Made | Refusal): number {
  if ("because" in made) throw new Error(made.because);
  return made.checkpoint.number;
}

test(`${MANY} checkpoints change nothing in the person's repository`, async () => {
  place.run(
    "git init -q -b main; for i in 1 2 3; do echo $i > $i; done; git add .; git commit -qm one; echo edit > 1; git stash -q; echo 4 > 4",
  );
  place.run("git tag -am t v1; git config user.name me; echo exit 0 > .git/hooks/pre-commit");
  /** Contents and permissions, and when each file was written. */
  const stateOf = (): ReturnType<typeof copyOf> => {
    const copy = copyOf(place.project, (path) => path.startsWith(".git"));
    return new Map(
      [...copy].map(([path, value]) => [path, `${value} ${lstatSync(join(place.project, path)).mtimeMs}`]),
    );
  };
  const before = stateOf();
  const undo = open();
  for (let at = 0; at < MANY; at += 1) {
    writeFileSync(join(place.project, "4"), `${at}`);
    expect(await undo.checkpoint(`${at}`)).toMatchObject({ isNew: true });
  }
  expect(differences(stateOf(), before)).toEqual([]);
  expect(place.run("git fsck --strict 2>&1 | grep -v dangling")).not.toMatch(/error|missing|broken/);
});

test("nothing changed makes no new checkpoint, and the last one says what is about to happen now", async () => {
  place.write("a", "a");
  const undo = open();
  const first = number(await undo.checkpoint("one"));
  expect(await undo.checkpoint("two")).toMatchObject({ isNew: false, checkpoint: { number: first, label: "two" } });
  expect(await open().checkpoint("three")).toMatchObject({ isNew: false });
  expect(undo.list()).toMatchObject([{ number: first, label: "three" }]);
});

test("a checkpoint that an undo has made is not taken for that of a call", async () => {
  place.write("a", "1");
  const undo = open();
  const first = number(await undo.checkpoint("one"));
  place.write("a", "2");
  await undo.restore(first);
  place.write("a", "2");
  expect(await undo.checkpoint("two")).toMatchObject({ isNew: true });
  expect(undo.covers({ kind: "files", paths: ["a"] })).toBeUndefined();
  place.run("rm a");
  expect(await undo.latest()).toMatchObject({ label: "two" });
});

test("a change in the same instant, of the same size, is seen", async () => {
  const undo = open();
  for (let at = 100; at < 160; at += 1) {
    writeFileSync(join(place.project, "a"), `${at}`);
    expect(await undo.checkpoint(`${at}`)).toMatchObject({ isNew: true });
  }
});

describe("the oldest go", () => {
  test("over 200", async () => {
    const undo = open();
    for (let at = 0; at < 203; at += 1) {
      place.write("a", `${at}`);
      await undo.checkpoint("x");
    }
    const numbers = undo.list().map((record) => record.number);
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([200, 203, 4]);
  });

  test("over the days, but for the last one", async () => {
    let nowMs = Date.now();
    const undo = open({ now: () => nowMs });
    place.write("a", "1");
    await undo.checkpoint("x");
    place.write("a", "2");
    nowMs += 6 * DAY_MS;
    await undo.checkpoint("y");
    nowMs += 2 * DAY_MS;
    undo.prune();
    expect(undo.list().map(({ label }) => label)).toEqual(["y"]);
    nowMs += 90 * DAY_MS;
    undo.prune();
    expect(undo.list().map(({ label }) => label)).toEqual(["y"]);
  });

  test("over the bytes, with their objects, and the others can be brought back", async () => {
    const { settings } = readSettings("undo", { maxBytes: 500_000 });
    const undo = open({ settings });
    const contents: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      place.run("head -c 60000 /dev/urandom | base64 > a");
      contents.push(place.run("cat a"));
      await undo.checkpoint(`${at}`);
    }
    const kept = undo.list();
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.length).toBeLessThan(12);
    expect(sizeOf(join(place.home, "undo"))).toBeLessThan(600_000);
    const oldest = kept.at(-1);
    expect(await undo.restore(oldest?.number ?? 0)).not.toHaveProperty("because");
    expect(place.run("cat a")).toBe(contents[Number(oldest?.label)]);
  });

  test("git objects that the repository gave up stay as long as a checkpoint needs them", async () => {
    const { settings } = readSettings("undo", { maxBytes: 60_000 });
    const undo = open({ settings });
    place.run(
      "git init -q -b main; echo a > a; git add a; git commit -qm one; git checkout -q -b gone; head -c 9000 /dev/urandom > big; git add big; git commit -qm big",
    );
    const commit = place.run("git rev-parse HEAD").trim();
    const first = number(await undo.checkpoint("x"));
    place.run("git checkout -q main; git branch -D gone; git reflog expire --expire=now --all; git gc -q --prune=now");
    expect(place.run(`git cat-file -t ${commit}`)).toBe("");
    for (let at = 0; at < 4; at += 1) {
      place.run("head -c 2000 /dev/urandom > a");
      await undo.checkpoint(`${at}`);
    }
    await undo.restore(first);
    expect(place.run(`git rev-parse HEAD; git cat-file -t ${commit}; git fsck 2>&1 | grep missing`)).toBe(
      `${commit}\ncommit\n`,
    );
  });
});

/** Mounts a small disk for hookline's home; false where a user may not do that. */
function mounted(): boolean {
  place.run("mkdir ../mounted");
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=600k", "none", join(place.folder, "mounted")]).status === 0;
}

describe("disks", () => {
  test.each([
    ["full", (home: string) => `head -c 900000 /dev/zero > ${home}/fill`, "the disk is full; free some space"],
    [
      "read-only",
      (home: string) => `mount -o remount,ro ${home}`,
      "the disk is read-only; set HOOKLINE_HOME to a folder that can be written",
    ],
  ])("a %s disk refuses with a sentence, and what was there is as it was", async (_, command, sentence) => {
    if (!mounted()) return;
    const home = join(place.folder, "mounted");
    try {
      place.write("a", "a");
      const undo = open({ home });
      await undo.checkpoint("first");
      place.run(command(home));
      place.run("head -c 90000 /dev/urandom > a");
      expect(await undo.checkpoint("second")).toEqual({ because: expect.stringContaining(sentence) });
      expect(undo.covers({ kind: "files", paths: ["a"] })).toBeUndefined();
      expect(undo.list().map(({ label }) => label)).toEqual(["first"]);
    } finally {
      spawnSync("umount", ["--lazy", home]);
    }
  });

  test("a disk that is read-only from the start is called so", async () => {
    if (!mounted()) return;
    const home = join(place.folder, "mounted");
    try {
      place.write("a", "a");
      place.run(`mount -o remount,ro ${home}`);
      expect(await open({ home }).checkpoint("first")).toEqual({ because: expect.stringContaining("is read-only") });
    } finally {
      spawnSync("umount", ["--lazy", home]);
    }
  });

  test.each([
    ["full", "head -c 900000 /dev/zero > fill", "rm fill", /no space left|disk is full/i],
    ["read-only", "mount -o remount,ro .", "mount -o remount,rw .", /read-only/i],
  ])("a restore to a %s disk says so, loses nothing, and can be done again", async (_, command, mends, sentence) => {
    if (!mounted()) return;
    const project = join(place.folder, "mounted");
    const stateOf = (): ReturnType<typeof copyOf> => copyOf(project, (path) => path !== "fill");
    const sh = (text: string): void => void spawnSync("sh", ["-c", text], { cwd: project });
    try {
      sh("head -c 300000 /dev/urandom > big; echo small > small; mkdir d; echo 1 > d/1");
      const whole = stateOf();
      const made = number(await open({ project }).checkpoint("x"));
      sh("rm big; rm -r d; echo other > small");
      sh(command);
      const before = stateOf();
      const refused = await open({ project }).restore(made);
      expect(refused).toEqual({ because: expect.stringMatching(sentence) });
      for (const path of differences(stateOf(), before)) expect(stateOf().get(path)).toBe(whole.get(path));
      sh(mends);
      expect(await open({ project }).restore(made)).not.toHaveProperty("because");
      expect(differences(stateOf(), whole)).toEqual([]);
    } finally {
      spawnSync("umount", ["--lazy", project]);
    }
  });

  test("a project on another disk has its objects copied", async () => {
    if (!mounted()) return;
    const home = join(place.folder, "mounted");
    try {
      place.run("git init -q -b main; echo a > a; git add a; git commit -qm one");
      const made = number(await open({ home }).checkpoint("x"));
      const commit = place.run("git rev-parse HEAD");
      place.run("rm -rf .git a");
      expect(await open({ home }).restore(made)).not.toHaveProperty("because");
      expect(place.run("git rev-parse HEAD; git fsck 2>&1; git status --porcelain")).toBe(commit);
    } finally {
      spawnSync("umount", ["--lazy", home]);
    }
  });
});

test("what is excluded is not kept, and what is included is", async () => {
  place.run(
    "git init -q; echo '*.db' > .gitignore; head -c 1500000 /dev/zero > x.db; mkdir -p out/y; echo 1 > out/y/z",
  );
  const { settings } = readSettings("undo", { include: ["*.db"], exclude: ["out/*"] });
  const undo = open({ settings });
  const made = number(await undo.checkpoint("x"));
  expect(undo.covers({ kind: "files", paths: ["x.db"] })).toBeUndefined();
  expect(undo.covers({ kind: "files", paths: ["out"] })).toEqual({
    because: "out/y is not in the checkpoint (excluded)",
  });
  place.run("rm -rf x.db out");
  await undo.restore(made);
  expect(readdirSync(place.project).sort()).toEqual([".git", ".gitignore", "out", "x.db"]);
  expect(readdirSync(join(place.project, "out"))).toEqual([]);
});

test("what a loss is covered by", async () => {
  place.run("git init -q; echo a > a; ln -s ../person out");
  const undo = open();
  expect(undo.covers({ kind: "files", paths: ["a"] })).toEqual({ because: "there is no checkpoint" });
  await undo.checkpoint("x");
  place.write("later", "l");
  const because = (paths: string[]): string | undefined => undo.covers({ kind: "files", paths })?.because;
  expect(because(["a", join(place.project, "a"), ".git", "absent", "."])).toBeUndefined();
  expect(because(["later"])).toBe("later is not in the checkpoint");
  expect(because(["../person/x"])).toBe("../person/x is not in the project");
  expect(because(["out/x"])).toBe("out/x is not in the project");
  expect(undo.covers({ kind: "repository", folder: "." })).toBeUndefined();
  expect(undo.covers({ kind: "repository", folder: "../person" })).toHaveProperty("because");
  expect(undo.covers({ kind: "elsewhere" })).toHaveProperty("because");
});

function sizeOf(folder: string): number {
  return [...copyOf(folder)].reduce((sum, [, value]) => sum + value.length, 0);
}
