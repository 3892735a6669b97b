import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The state of the fixture's repository, besides its commits. */
export type State = "clean" | "dirty";

/** A project with a home folder and a neighbour, in a folder of its own. */
export interface Fixture {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  /** The same in another folder, to be changed. */
  copy(): Fixture;
  remove(): void;
}

const IGNORE =
  "node_modules/\ndist/\ncoverage/\n*.log\n.env\n.cache/\ndata/\n__pycache__/\n*.pyc\ntmp/\n*.o\n.venv/\ntarget/\n";
const SCRIPTS = {
  clean: "rm -rf dist coverage",
  build: "tsc -p .",
  wipe: "rm -rf src data",
  test: "node --test",
  reset: "git reset --hard",
};
const MAKEFILE =
  "BUILD = dist\n\nall: build\n\nbuild:\n\tmkdir -p $(BUILD)\n\nclean:\n\trm -rf $(BUILD) *.o\n\nwipe: clean\n\trm -rf src data\n\n.PHONY: all build clean wipe\n";

/** Files of the last commit. */
const COMMITTED: Readonly<Record<string, string>> = {
  "README.md": "# shop\n",
  ".gitignore": IGNORE,
  "package.json": JSON.stringify({ name: "shop", scripts: SCRIPTS }, undefined, 2),
  "package-lock.json": "{}\n",
  Makefile: MAKEFILE,
  "src/app.ts": "export const app = 1;\n",
  "src/util.ts": "export const util = 1;\n",
  "src/staged.ts": "export const staged = 1;\n",
  "src/old.ts": "export const old = 1;\n",
  "docs/guide.md": "guide\n",
  "docs/api.md": "api\n",
  "lib/core.js": "core\n",
  "scripts/build.sh": "echo build\n",
  "config/app.yaml": "port: 1\n",
  ".github/workflows/ci.yml": "on: push\n",
  "test/app.test.ts": "test\n",
};

/** Files that git knows nothing of, ignored or not; the empty texts are not lost by anything. */
const DIRTY: Readonly<Record<string, string>> = {
  "src/app.ts": "export const app = 2; // edited\n",
  "docs/guide.md": "guide, edited\n",
  "notes.txt": "notes\n",
  "src/draft.ts": "draft\n",
  "report.csv": "a,b\n",
  ".env": "TOKEN=abc\n",
  "data/shop.db": "rows\n",
};

/** Files that a program makes again. */
const MADE: Readonly<Record<string, string>> = {
  "node_modules/left/index.js": "left\n",
  "dist/app.js": "app\n",
  "coverage/lcov.info": "info\n",
  "build.log": "log\n",
  ".cache/x": "x\n",
  "src/__pycache__/a.pyc": "pyc\n",
  "main.o": "o\n",
};

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Files besides, below the root, for the independent corpus. */
export const MORE: Readonly<Record<string, string>> = {
  "shop/scratch/idea.md": "idea\n",
  "shop/scratch/sub/x.md": "x\n",
  "shop/.env.example": "TOKEN=\n",
  "shop/.env.production": "TOKEN=abcdef\n",
  "shop/.claude/settings.json": "{}\n",
  "shop/.cursor/hooks.json": "{}\n",
  "shop/.hookline/settings.json": "{}\n",
  "shop/.git/hooks/pre-commit": "#!/bin/sh\n",
  "shop/.git/hooks/pre-push": "#!/bin/sh\n",
  "home/.bash_history": "x\n",
  "home/.codex/config.toml": "x\n",
  "home/.gemini/settings.json": "{}\n",
  "home/.hookline/settings.json": "{}\n",
};

/** Makes a project in one of two states: `clean`, or `dirty` with everything that can be lost; `more` below the root. */
export function fixture(state: State, more: Readonly<Record<string, string>> = {}): Fixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "guards-")));
  const project = join(root, "shop");
  const home = join(root, "home");
  const git = (...args: readonly string[]): void => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
      GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
    };
    execFileSync(
      "git",
      ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", ...args],
      { cwd: project, env, stdio: "ignore" },
    );
  };
  write(home, {
    ".bashrc": "PS1=x\n",
    ".ssh/id_ed25519": "key\n",
    ".ssh/authorized_keys": "ssh-ed25519 AAAA\n",
    "Documents/plan.txt": "plan\n",
    ".cache/pip/x": "x\n",
    ".claude/settings.json": "{}\n",
    ".gitconfig": "[user]\n\tname = A\n\temail = a@example.com\n",
  });
  write(join(root, "other"), { "keep.txt": "keep\n" });
  write(project, COMMITTED);
  git("init", "-q", "-b", "main");
  execFileSync("git", ["init", "-q", "--bare", join(root, "origin.git")], { stdio: "ignore" });
  git("remote", "add", "origin", "../origin.git");
  git("add", "-A");
  git("commit", "-qm", "first");
  write(project, { "docs/more.md": "more\n" });
  git("add", "-A");
  git("commit", "-qm", "second");
  git("push", "-q", "-u", "origin", "main");
  git("tag", "v1");
  git("branch", "merged");
  git("checkout", "-q", "-b", "feature");
  write(project, { "src/feature.ts": "feature\n" });
  git("add", "-A");
  git("commit", "-qm", "feature");
  if (state === "clean") git("push", "-q", "-u", "origin", "feature");
  git("checkout", "-q", "main");
  write(project, MADE);
  if (state === "dirty") {
    write(project, { "lib/local.js": "local\n" });
    git("add", "-A");
    git("commit", "-qm", "not pushed");
    write(project, { "src/util.ts": "stashed\n" });
    git("stash");
    git("commit", "-q", "--allow-empty", "-m", "only in the reflog");
    git("reset", "-q", "--hard", "HEAD~1");
    write(project, { "src/staged.ts": "export const staged = 2;\n" });
    git("add", "src/staged.ts");
    write(project, DIRTY);
  } else write(project, { ".env.example": "TOKEN=\n" });
  if (state === "clean") {
    git("add", "-A");
    git("commit", "-qm", "third");
    git("push", "-q", "origin", "main");
  }
  write(root, more);
  return at(root);
}

function at(root: string): Fixture {
  return {
    root,
    project: join(root, "shop"),
    home: join(root, "home"),
    copy: () => {
      const other = realpathSync(mkdtempSync(join(tmpdir(), "guards-")));
      cpSync(root, other, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      return at(other);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
