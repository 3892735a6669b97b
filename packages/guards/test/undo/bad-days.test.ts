import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Made, openUndo, type Refusal, type Undo, type UndoOptions } from "../../src/undo/undo.ts";
import { copyOf, differences } from "./support/copy.ts";
import { Place } from "./support/session.ts";

const PROGRAM = join(import.meta.dirname, "fixtures", "killed-at.ts");

let place: Place;

beforeEach(() => {
  place = new Place();
});

afterEach(() => place.end());

function open(options: Partial<UndoOptions> = {}): Undo {
  return openUndo({ ...place, timeLimitMs: 60_000, ...options });
}

function number(made: Made | Refusal): number {
  if ("because" in made) throw new Error(made.because);
  return made.checkpoint.number;
}

/** Takes a checkpoint, runs a command that loses something, brings it back, and returns what is still different. */
async function broughtBack(command: string, options: Partial<UndoOptions> = {}): Promise<string[]> {
  const isWanted = (path: string): boolean => !/(?:^|\/)objects(?:\/|$)/.test(path);
  const before = copyOf(place.folder, (path) => !path.startsWith("home") && isWanted(path));
  const objects = objectsIn(options.project);
  const made = number(await open(options).checkpoint(command));
  place.run(command);
  const after = copyOf(place.folder, (path) => !path.startsWith("home") && isWanted(path));
  expect(differences(before, after), `"${command}" must lose something`).not.toEqual([]);
  const restored = await open(options).restore(made, { removesNew: true });
  expect(restored).not.toHaveProperty("because");
  const again = new Set(objectsIn(options.project));
  expect(objects.filter((oid) => !again.has(oid))).toEqual([]);
  return differences(
    before,
    copyOf(place.folder, (path) => !path.startsWith("home") && isWanted(path)),
  );
}

const REPOSITORY = "git init -q -b main; echo a > a; echo b > b; git add a; git commit -qm one; echo c > b";

/** All objects that a repository has, whether something names them or not. */
function objectsIn(project = place.project): string[] {
  return place.run(`cd ${project}; git cat-file --batch-all-objects --batch-check='%(objectname)' 2>&1`).split("\n");
}

describe("brought back", () => {
  /** `folder` is the project's, from the folder around it. */
  const ROWS: readonly (readonly [name: string, setup: string, loses: string, folder?: string])[] = [
    ["a folder without git", "mkdir -p x/y; echo 1 > x/y/z; chmod 600 x/y/z", "rm -rf x"],
    ["a whole repository", REPOSITORY, "rm -rf .git a b"],
    ["an empty repository", "git init -q; echo a > a", "rm -rf .git a"],
    [
      "a bare repository",
      "git init -q --bare .; git symbolic-ref HEAD refs/heads/x",
      "git symbolic-ref HEAD refs/heads/y",
    ],
    [
      "a detached HEAD",
      `${REPOSITORY}; git checkout -q --detach`,
      "git checkout -q -b new; git branch -f main 2>/dev/null; git add b; git commit -qm two",
    ],
    [
      "a merge in progress with conflicts",
      `${REPOSITORY}; git checkout -q -b t; echo t > a; git commit -qam t; git checkout -q main; echo m > a; git commit -qam m; git merge -q t`,
      "git merge --abort",
    ],
    [
      "a rebase in progress",
      `${REPOSITORY}; git stash -qu; git checkout -q -b t; echo t > a; git commit -qam t; git checkout -q main; echo m > a; git commit -qam m; git rebase -q t`,
      "git rebase --abort",
    ],
    [
      "a dangling commit",
      `${REPOSITORY}; git add b; git stash -q; git stash drop -q`,
      "rm -rf .git/objects/*; rm -rf .git/refs/*",
    ],
    [
      "a repository in the project",
      `${REPOSITORY}; git init -q in; cd in; echo x > y; git add y; git commit -qm x; echo z > y`,
      "rm -rf in",
    ],
    ["a repository in the project without commits", `${REPOSITORY}; git init -q in; echo z > in/y`, "rm -rf in"],
    [
      "a submodule",
      `${REPOSITORY}; git init -q ../other; (cd ../other && echo s > s && git add s && git commit -qm s); git -c protocol.file.allow=always submodule -q add ../other sub; echo edit > sub/s`,
      "cd sub && git reset -q --hard && git branch x && cd .. && rm -rf .git/modules sub",
    ],
    [
      "a work tree in the project",
      `${REPOSITORY}; git worktree add -q wt; echo w > wt/new`,
      "git worktree remove --force wt && git branch -D wt",
    ],
    [
      "a broken repository",
      `${REPOSITORY}; echo nonsense > .git/HEAD; echo nonsense > .git/index; echo nonsense > .git/config`,
      "rm -rf .git a",
    ],
    [
      "names that are not UTF-8",
      `${REPOSITORY}; printf x > "$(printf 'n\\377\\n\\t"name')"; mkdir "$(printf 'd\\376')"; echo y > "$(printf 'd\\376/f')"`,
      "git clean -fdxq",
    ],
    [
      "a project whose files git converts",
      `${REPOSITORY}; printf '* text eol=crlf ident\\n' > .gitattributes; printf '$Id$\\r\\n' > c; git add -A; git commit -qm c; rm c; git checkout -q c`,
      "rm c a",
    ],
    [
      "a file that git was told not to look at",
      `${REPOSITORY}; git update-index --assume-unchanged a; echo new > a`,
      "rm a",
    ],
    ["a split index", `${REPOSITORY}; git update-index --split-index`, "rm -rf a b .git/sharedindex*"],
    [
      "an index of version 4",
      `${REPOSITORY}; mkdir -p p/q; echo 1 > p/q/1; echo 2 > p/q/2; git add -A; git update-index --index-version 4`,
      "git rm -rqf p; rm -f a",
    ],
    [
      "objects of SHA-256",
      "git init -q --object-format=sha256; echo a > a; git add a; git commit -qm a; echo b > a",
      "rm -rf .git a",
    ],
    [
      "a sparse work tree",
      `${REPOSITORY}; mkdir d; echo d > d/d; git add -A; git commit -qm d; git sparse-checkout set --no-cone /a`,
      "git sparse-checkout disable",
    ],
    ["a file in place of a folder", "mkdir x; echo 1 > x/y", "rm -rf x; echo file > x"],
    ["a folder in place of a file", "echo 1 > x", "rm x; mkdir x; echo 1 > x/y"],
    [
      "a link that left the project",
      "mkdir x; echo 1 > x/y",
      "rm -rf x; mkdir ../outside; ln -s ../outside x; mkdir ../person/kept",
    ],
    ["an ignored file of 900 kB", `${REPOSITORY}; echo big > .gitignore; head -c 900000 /dev/urandom > big`, "rm big"],
    [
      "a tracked file in an ignored folder",
      `${REPOSITORY}; echo dist/ > .gitignore; echo '{}' > package.json; mkdir dist; echo x > dist/x; git add -f dist/x; echo edit > dist/x`,
      "rm -rf dist",
    ],
    ["permissions of a folder", "mkdir -m 700 x; echo 1 > x/y", "rm -rf x"],
    ["an empty folder", "mkdir -p x/y/z", "rm -rf x"],
    [
      "names that each object inherits",
      "echo 1 > constructor; echo 2 > __proto__; echo 3 > valueOf",
      "rm constructor __proto__ valueOf",
    ],
    [
      "a tracked file in an ignored folder, with a split index",
      `${REPOSITORY}; echo dist/ > .gitignore; echo '{}' > package.json; mkdir dist; echo x > dist/x; git add -f dist/x; git commit -qm d; git update-index --split-index; echo edit > dist/x`,
      "rm -rf dist",
    ],
    [
      "a folder that a repository in the project does not ignore",
      `${REPOSITORY}; echo in/ > .gitignore; git init -q in; echo '{}' > in/package.json; mkdir in/dist; echo mine > in/dist/notes`,
      "rm -rf in/dist",
    ],
    [
      "a folder that a repository does not ignore, in a project without one",
      "git init -q in; echo '{}' > in/package.json; mkdir in/dist; echo mine > in/dist/notes",
      "rm -rf in/dist",
    ],
    [
      "a link to the repository",
      `${REPOSITORY}; mv .git ../git; ln -s ../git .git`,
      "git checkout -q -b t; git add b; git commit -qm t; git branch -D main; rm .git a",
    ],
    [
      "a link to a work tree's repository",
      `${REPOSITORY}; git worktree add -q -b topic ../tree`,
      "cd ../tree; git branch -m renamed; rm .git a",
      "tree",
    ],
    [
      "a work tree and its branch",
      `${REPOSITORY}; git worktree add -q -b topic ../tree`,
      "git worktree remove --force ../tree; git branch -q -D topic; mkdir ../tree",
      "tree",
    ],
    [
      "a repository within another one",
      `${REPOSITORY}; git init -q in; cd in; echo x > y; git add y; git commit -qm x`,
      "cd in; rm -rf .git y",
      "project/in",
    ],
  ];

  test.each(ROWS.map((row) => [row[0], row] as const))("%s", async (name, [, setup, loses, folder = "project"]) => {
    place.run(setup);
    // Files that were created outside of the project stay.
    const outside = name === "a link that left the project" ? ["outside", "person/kept"] : [];
    expect(await broughtBack(loses, { project: join(place.folder, folder) })).toEqual(outside);
  });

  test.each(["chmod 000 d", "chmod 600 d", "chmod 000 a d/x", "chmod 000 .git"])("what `%s` has closed", (closes) => {
    place.run(`${REPOSITORY}; mkdir d; echo x > d/x`);
    const before = copyOf(place.project);
    const uid = 65_534;
    // Root can read everything.
    const as = process.getuid?.() === 0 ? { uid, gid: uid } : {};
    if (as.uid !== undefined) place.run(`chown -R ${uid}:${uid} ${place.folder}`);
    const { project, home, personHome } = place;
    const options = JSON.stringify({ project, home, personHome, timeLimitMs: 600_000 });
    const run = (...number: readonly string[]) =>
      spawnSync(process.execPath, ["--conditions=hookline-source", PROGRAM, "0", options, ...number], {
        encoding: "utf8",
        ...as,
      });
    expect(run()).toMatchObject({ status: 0 });
    place.run(closes);
    expect(run("1")).toMatchObject({ status: 0 });
    expect(differences(copyOf(place.project), before)).toEqual([]);
  });

  test("a linked work tree, whose repository is elsewhere", async () => {
    place.run(`${REPOSITORY}; git worktree add -q -b topic ../tree`);
    const project = join(place.folder, "tree");
    const command = "cd ../tree; echo t > t; git add t; git commit -qm t; git branch -m topic renamed; rm a";
    expect(await broughtBack(command, { project })).toEqual([]);
  });

  test("a work tree elsewhere stays as it is", async () => {
    place.run(`${REPOSITORY}; git worktree add -q -b topic ../tree`);
    const undo = open();
    const made = number(await undo.checkpoint("x"));
    place.run("rm a; cd ../tree; echo t > t; git add t; git commit -qm t");
    const other = place.run("cd ../tree; git rev-parse HEAD; git status --porcelain");
    await undo.restore(made, { removesNew: true });
    expect(existsSync(join(place.project, "a"))).toBe(true);
    expect(place.run("cd ../tree; git rev-parse HEAD; git status --porcelain")).toBe(other);
  });
});

describe("said in a sentence", () => {
  test.each([
    ["the home folder", "person", /home folder/],
    ["a folder above hookline's home", "", /home folder/],
    ["the root of all folders", "..", /home folder/],
  ])("%s has no undo", (_, folder, sentence) => {
    expect(() => open({ project: folder === ".." ? "/" : join(place.folder, folder) })).toThrow(sentence);
  });

  test("too many files", async () => {
    place.run("for i in 1 2 3 4 5 6 7 8 9; do echo > $i; done");
    expect(await open({ maxFiles: 8 }).checkpoint("x")).toEqual({
      because: "No undo here: the folder has over 8 files.",
      is: "big",
    });
  });

  test("the time limit", async () => {
    place.run(REPOSITORY);
    let now = 0;
    const refused = await open({ timeLimitMs: 5, now: () => (now += 3) }).checkpoint("x");
    expect(refused).toMatchObject({ because: expect.stringContaining("within its time limit") });
  });

  test("a home that cannot be made", async () => {
    const home = join(place.folder, "file");
    writeFileSync(home, "");
    expect(await open({ home }).checkpoint("x")).toEqual({
      because: expect.stringMatching(/^No undo here: .*a part of its path is a file/),
    });
  });

  test("a checkpoint that is damaged changes nothing", async () => {
    place.write("a", "first");
    place.write("b", "second");
    const undo = open();
    const made = number(await undo.checkpoint("x"));
    place.run(
      "rm a b; find ../home/undo/*/objects -type f >/dev/null; for f in $(find ../home/undo/*/objects/?? -type f); do echo nonsense > $f; done",
    );
    const before = copyOf(place.project);
    expect(await open().restore(made)).toEqual({ because: expect.stringContaining("damaged") });
    expect(differences(before, copyOf(place.project))).toEqual([]);
  });

  test("git that is at work", async () => {
    place.run(REPOSITORY);
    const undo = open();
    const made = number(await undo.checkpoint("x"));
    place.run("rm a; touch .git/index.lock");
    expect(await undo.restore(made)).toEqual({ because: expect.stringContaining("git is working here") });
  });

  test("a process that was killed before it had written its id into the lock", async () => {
    await open().checkpoint("x");
    place.write("a", "a");
    place.run("for f in ../home/undo/*; do touch -d '5 seconds ago' $f/lock; done");
    expect(await open({ timeLimitMs: 20_000 }).checkpoint("y")).toMatchObject({ isNew: true });
  });

  test("a number that is none", async () => {
    expect(await open().restore(7)).toEqual({
      because: "There is no checkpoint 7. `hookline undo --list` shows them.",
    });
  });
});

test("no program of a repository's configuration runs", async () => {
  const ran = join(place.folder, "ran");
  const program = join(place.folder, "program");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, { mode: 0o755 });
  place.run(REPOSITORY);
  place.run("cp a hook-a; git add -A; git commit -qm all");
  const settings = [
    "core.fsmonitor",
    "filter.x.clean",
    "filter.x.smudge",
    "filter.x.process",
    "core.sshCommand",
    "diff.external",
  ];
  for (const key of [
    ...settings,
    "diff.x.textconv",
    "diff.x.command",
    "core.pager",
    "core.editor",
    "gpg.program",
    "alias.check-ignore",
  ])
    place.run(`git config ${key} ${program}`);
  place.run(
    `git config core.hooksPath ${place.folder}; cp ${program} ${place.folder}/post-index-change; cp ${program} .git/hooks/post-index-change`,
  );
  place.run(
    `printf '* filter=x diff=x\n' > .gitattributes; printf '[include]\n\tpath = ../../evil\n' >> .git/config; echo node_modules > .gitignore; mkdir node_modules`,
  );
  const undo = open();
  const made = number(await undo.checkpoint("x"));
  place.write("a", "changed");
  rmSync(ran, { force: true });
  await undo.checkpoint("y");
  await undo.diff(made);
  await undo.lostSince(made);
  await undo.restore(made);
  expect(existsSync(ran) ? readFileSync(ran, "utf8") : "").toBe("");
  // The programs are there to be run: git itself runs them.
  place.run("echo more > a; git diff; git status");
  expect(existsSync(ran)).toBe(true);
});

test("variables of git in the environment do not lead a checkpoint elsewhere", async () => {
  place.run(`${REPOSITORY}; echo big > .gitignore; head -c 1100000 /dev/zero > big`);
  const before = { ...process.env };
  process.env["GIT_DIR"] = "/nonexistent";
  process.env["GIT_INDEX_FILE"] = join(place.folder, "elsewhere");
  try {
    const made = await open().checkpoint("x");
    expect(made).toMatchObject({ checkpoint: { leftOut: [{ path: "big", why: "big" }] } });
  } finally {
    process.env = before;
  }
  expect(existsSync(join(place.folder, "elsewhere"))).toBe(false);
});

test("a file that no checkpoint has is moved aside, and a file that appeared stays", async () => {
  place.run(`${REPOSITORY}; echo data > .gitignore; echo small > data`);
  const undo = open();
  const made = number(await undo.checkpoint("x"));
  place.run("head -c 2000000 /dev/zero > data; echo new > appeared");
  expect(await undo.lostSince(made)).toEqual([]);
  const restored = await undo.restore(made);
  expect(restored).toMatchObject({ aside: [join(place.project, "data.before-undo")] });
  expect(readFileSync(join(place.project, "data"), "utf8")).toBe("small\n");
  expect(readFileSync(join(place.project, "data.before-undo")).length).toBe(2_000_000);
  expect(existsSync(join(place.project, "appeared"))).toBe(true);
});

test("packages that are installed again are neither kept nor touched", async () => {
  place.run(
    `${REPOSITORY}; echo node_modules > .gitignore; mkdir -p node_modules/x; echo 1 > node_modules/x/i; ln -s x node_modules/y`,
  );
  symlinkSync("/nonexistent", join(place.project, "broken"));
  const undo = open();
  const made = number(await undo.checkpoint("x"));
  expect(undo.covers({ kind: "files", paths: ["node_modules"] })).toBeUndefined();
  expect(undo.covers({ kind: "files", paths: ["node_modules/x/i"] })).toHaveProperty("because");
  place.run("echo 2 > node_modules/x/i; rm a");
  await undo.restore(made, { removesNew: true });
  expect(readFileSync(join(place.project, "node_modules/x/i"), "utf8")).toBe("2\n");
});
