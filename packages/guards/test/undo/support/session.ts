import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Draws numbers from a seed. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2654435761 + 1;
  }

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % limit;
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }
}

/** A folder with a project and a home for hookline, removed by `end`. */
export class Place {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-undo-")));
  readonly project = join(this.folder, "project");
  readonly home = join(this.folder, "home");
  readonly personHome = join(this.folder, "person");

  constructor() {
    for (const path of [this.project, this.home, this.personHome]) mkdirSync(path);
  }

  write(path: string, content: string, mode = 0o644): void {
    const file = join(this.project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
  }

  /** Runs a command in the project and returns its output. Its failure is part of a session. */
  run(command: string): string {
    const env = {
      PATH: process.env["PATH"],
      HOME: this.personHome,
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.com",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.com",
      GIT_EDITOR: "true",
      GIT_CONFIG_NOSYSTEM: "1",
    };
    const { stdout } = spawnSync("sh", ["-c", command], { cwd: this.project, env, encoding: "utf8" });
    return stdout;
  }

  end(): void {
    this.run("chmod -R u+rwX .");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** How many different repositories sessions begin with. */
const TEMPLATES = 12;
const templates = new Map<number, Place>();

/** Fills a place with one of a few repositories, whose index knows its files as unchanged. */
export function fillRepository(place: Place, draw: Draw): void {
  const which = draw.below(TEMPLATES);
  let template = templates.get(which);
  if (template === undefined) {
    template = new Place();
    templates.set(which, template);
    makeRepository(template, new Draw(which));
  }
  cpSync(template.project, place.project, { recursive: true, verbatimSymlinks: true });
  // Files of a moment ago are read by git and by checkpoints anew; those of last year are not.
  place.run("find . -path ./.git -prune -o -exec touch -h -d 2020-01-01 {} + && git update-index -q --refresh");
}

/** Removes the repositories that sessions began with. */
export function endTemplates(): void {
  for (const template of templates.values()) template.end();
  templates.clear();
}

/** Makes a repository with commits, branches, a tag, a stash, ignored, untracked and staged files. */
function makeRepository(place: Place, draw: Draw): void {
  place.run("git init -q -b main && git config gc.auto 0");
  place.write(".gitignore", "*.log\n.env\ncache/\nnode_modules/\n");
  place.write("package.json", "{}\n");
  for (let at = 0; at < 8; at += 1)
    place.write(`src/${draw.of(["a", "b", "c/d"])}/f${at}.ts`, text(draw), draw.of([0o644, 0o755, 0o600]));
  place.run("git add -A && git commit -qm one");
  place.write("src/a/f0.ts", text(draw));
  place.write("docs/page.md", text(draw));
  place.run("git add -A && git commit -qm two && git tag v1 && git branch topic && git branch old HEAD~1");
  place.write("src/a/f0.ts", text(draw));
  place.run("git stash -q");
  place.write(".env", `KEY=${text(draw)}`, 0o600);
  place.write("notes.txt", text(draw));
  place.write("trace.log", text(draw));
  place.write("node_modules/x/index.js", "made again");
  place.write("docs/page.md", text(draw));
  place.run("git add docs");
  place.write("docs/page.md", text(draw));
  symlinkSync("src/a", join(place.project, "link"));
  mkdirSync(join(place.project, "empty"));
  if (draw.below(3) === 0) place.run("git gc -q");
}

/** One step of a session: a command, made up from what is there. */
export function step(place: Place, draw: Draw): string {
  const files = filesIn(place.project, "");
  const file = files.length === 0 ? "new.txt" : draw.of(files);
  const command = draw.of(STEPS)(quoted(file), draw);
  place.run(command);
  return command;
}

type Step = (file: string, draw: Draw) => string;

const STEPS: readonly Step[] = [
  (file, draw) => `echo ${draw.below(1e6)} >> ${file}`,
  (file, draw) => `echo ${draw.below(1e6)} > ${file}`,
  (_, draw) => `mkdir -p made/${draw.below(3)} && echo ${draw.below(1e6)} > made/${draw.below(3)}/n${draw.below(5)}`,
  (file) => `rm -f ${file}`,
  (file, draw) => `chmod ${draw.of(["600", "644", "755", "400"])} ${file}`,
  (file, draw) => `mv ${file} moved${draw.below(4)}`,
  (file, draw) => `rm -f ${file} && mkdir -p ${file} && echo x > ${file}/in${draw.below(3)}`,
  (file) => `ln -sfn ${file} pointer`,
  (_, draw) => `rm -rf ${draw.of(["src", "src/a", "docs", "made", "empty", ".git/refs/heads", "link"])}`,
  (_, draw) => `rm -rf src && echo file > src; chmod ${draw.of(["700", "755"])} docs`,
  () => "git reset -q --hard",
  () => "git reset -q --hard HEAD~1",
  () => "git checkout -q -f topic",
  () => "git checkout -q -f main",
  () => "git checkout -q -- .",
  () => "git clean -q -fdx",
  () => "git stash -q -u",
  () => "git stash drop -q",
  () => "git stash clear",
  () => "git stash pop -q",
  () => "git branch -q -D topic",
  (_, draw) => `git branch -f old HEAD~${draw.below(2)}`,
  (_, draw) => `git checkout -q -b dir/b${draw.below(3)}`,
  (_, draw) => `git branch -q -m b${draw.below(3)}`,
  () => "git add -A && git commit -q -m more",
  () => "git commit -q --amend --allow-empty -m amended",
  () => "git rebase -q topic",
  () => "git rebase -q --abort",
  () => "git merge -q --no-commit topic",
  () => "git merge --abort",
  () => "git cherry-pick old",
  () => "git update-ref -d refs/heads/old",
  () => "git tag -d v1",
  () => "git pack-refs --all",
  () => "git reflog expire --expire=now --all && git gc -q --prune=now",
  () => "git rm -q -r --cached .",
  () => "git config user.name other; echo '#!/bin/sh' > .git/hooks/pre-commit",
  () => "git update-index --assume-unchanged package.json; echo changed > package.json",
  () => "rm -rf .git",
  () => "git init -q -b main",
];

function filesIn(root: string, path: string): string[] {
  return readdirSync(join(root, path)).flatMap((name) => {
    const inner = path === "" ? name : `${path}/${name}`;
    if (name === ".git" || name === "node_modules") return [];
    const stats = statSync(join(root, inner), { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? filesIn(root, inner) : [inner];
  });
}

function text(draw: Draw): string {
  return `${draw.below(1e9)}\n`.repeat(1 + draw.below(40));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
