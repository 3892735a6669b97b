import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { judge, judgeFile } from "../../src/commands/judge.ts";
import { fixture } from "./fixture.ts";

const dirty = fixture("dirty");
const clean = fixture("clean");
afterAll(() => {
  dirty.remove();
  clean.remove();
});

const on = (made: typeof dirty) => ({ project: made.project, home: made.home, gitTimeoutMs: 60_000 });

describe("a verdict", () => {
  it.each([
    "rm -rf src",
    "git reset --hard",
    "git checkout .",
    "git clean -fd",
    "git restore src/app.ts",
    "git stash drop",
    "git branch -D feature",
    "npm run wipe",
    "make wipe",
    "rm -f docs/guide.md",
    "git reflog expire --expire=now --all",
  ])("depends on what would be lost: %s", async (command) => {
    expect((await judge(command, on(dirty))).verdict).toBe("ask");
    expect((await judge(command, on(clean))).verdict).toBe("allow");
  });

  it("of git reset --merge asks about what is staged, and not about what a merge itself has staged", async () => {
    const copy = clean.copy();
    const sh = (text: string): void => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: copy.home };
      execFileSync("sh", ["-c", text], { cwd: copy.project, env, stdio: "ignore" });
    };
    const verdict = async (): Promise<string> => (await judge("git reset --merge", on(copy))).verdict;
    sh("git checkout -q -b other; echo o > README.md; echo o > o.txt; git add -A; git commit -qm o; git checkout -q -");
    sh("echo m > README.md; git commit -qam m; git merge other || true");
    expect(await verdict()).toBe("allow");
    sh("git merge --abort; echo edited > README.md");
    expect(await verdict()).toBe("allow");
    sh("git add README.md");
    expect(await verdict()).toBe("ask");
    copy.remove();
  });

  const SUBMODULE =
    "git -c protocol.file.allow=always submodule -q add -b main $(cd ..; pwd)/origin.git sub; git commit -qam s";
  it.each([
    ["git submodule deinit -f --all", SUBMODULE, "echo e >> sub/README.md"],
    ["git submodule update --force", SUBMODULE, "echo e >> sub/README.md"],
    ["git reset --hard --recurse-submodules", SUBMODULE, "echo e >> sub/README.md"],
    ["git checkout -f --recurse-submodules", SUBMODULE, "echo e >> sub/README.md"],
    ["git stash push && git stash drop", "true", "echo e >> README.md"],
    ["git stash && git stash clear", "true", "echo e >> README.md"],
    ["git commit --amend -m x; git status", "true", undefined],
    ["git rebase feature && git push --force-with-lease origin feature", "true", undefined],
    ["git push --force origin main", "true", undefined],
  ])("follows what a text has done before, and looks into submodules: %s", async (command, setup, loses) => {
    const copy = clean.copy();
    const sh = (text: string): void => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: copy.home };
      execFileSync("sh", ["-c", text], { cwd: copy.project, env, stdio: "ignore" });
    };
    sh(setup);
    expect((await judge(command, on(copy))).verdict).toBe("allow");
    if (loses !== undefined) {
      sh(loses);
      expect((await judge(command, on(copy))).verdict).toBe("ask");
    }
    copy.remove();
  });

  it.each([
    "git commit --amend -m x && git push -f",
    "git rebase -i --autosquash HEAD~2 && git push --force origin main",
    "git commit --amend --no-edit; git push --force-with-lease origin main",
  ])("asks about a forced push of commits that the text rewrites before: %s", async (command) => {
    expect((await judge(command, on(clean))).verdict).toBe("ask");
  });

  it("says what would be lost, a way that is allowed, and how a person can allow it", async () => {
    const { reason, evidence, lost } = await judge("git reset --hard", on(dirty));
    expect(reason).toBe(
      "Not run. `git reset --hard` would discard edits in docs/guide.md, src/app.ts and src/staged.ts that exist nowhere else. " +
        "Commit or stash them first: `git stash push -u`. A person can allow it once in the panel, or add it to guards.commands.allow.",
    );
    expect(evidence).toEqual(["docs/guide.md", "src/app.ts", "src/staged.ts"]);
    expect(lost).toHaveLength(1);
  });

  it("is a note where a checkpoint covers what is lost, and only in the project", async () => {
    const covered = { ...on(dirty), covers: () => true };
    expect(await judge("rm notes.txt", covered)).toMatchObject({ verdict: "note" });
    expect(await judge("rm -rf ../other", covered)).toMatchObject({ verdict: "ask" });
    expect(await judge("rm -rf .git", covered)).toMatchObject({ verdict: "deny" });
    expect(await judge("kubectl delete ns x", covered)).toMatchObject({ verdict: "ask" });
  });

  it("follows the level, but refuses what nobody should run", async () => {
    const at = (level: "note" | "refuse") => ({ ...on(dirty), settings: { level } });
    expect((await judge("rm notes.txt", at("note"))).verdict).toBe("note");
    expect((await judge("rm notes.txt", at("refuse"))).verdict).toBe("deny");
    expect((await judge("rm -rf ~", at("note"))).verdict).toBe("deny");
  });

  it("looks away where a person allows a command, and at no other that follows it", async () => {
    const place = { ...on(dirty), settings: { allow: ["rm *"] } };
    expect((await judge("rm notes.txt", place)).verdict).toBe("allow");
    expect((await judge("rm x; git reset --hard", place)).verdict).toBe("ask");
    expect((await judge('rm "$(git reset --hard)"', place)).verdict).toBe("ask");
  });

  it("knows the rows that a person adds", async () => {
    const add = ["deployctl wipe: deletes the deployment"];
    const place = { ...on(dirty), settings: { add } };
    expect((await judge("deployctl wipe prod", place)).reason).toContain(
      "`deployctl wipe prod` deletes the deployment.",
    );
    expect((await judge("deployctl wipe --dry-run prod", place)).verdict).toBe("allow");
  });

  it("follows links out of the project", async () => {
    const link = join(dirty.project, "link");
    symlinkSync(join(dirty.root, "other"), link);
    expect((await judge("rm link/keep.txt", on(dirty))).verdict).toBe("ask");
    expect((await judge("rm link", on(dirty))).verdict).toBe("allow");
    rmSync(link);
  });

  it("asks about a repository that git cannot read, and about a command that cannot be read", async () => {
    const broken = clean.copy();
    writeFileSync(join(broken.project, ".git/index"), "broken");
    expect((await judge("git reset --hard", on(broken))).verdict).toBe("ask");
    expect((await judge("rm -rf src", on(broken))).verdict).toBe("ask");
    broken.remove();
    expect((await judge("rm -rf 'src", on(clean))).verdict).toBe("ask");
    expect((await judge(`echo ${"x ".repeat(600_000)}`, on(clean))).verdict).toBe("ask");
  });

  it("asks where git gives no answer in time", async () => {
    const slow = clean.copy();
    const programs = join(slow.root, "programs");
    mkdirSync(programs);
    writeFileSync(join(programs, "git"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
    vi.stubEnv("PATH", `${programs}${delimiter}${process.env["PATH"]}`);
    try {
      for (const command of ["git reset --hard", "git checkout .", "rm -rf src"]) {
        const { verdict, reason } = await judge(command, { ...on(slow), gitTimeoutMs: 50 });
        expect(verdict).toBe("ask");
        expect(reason).toContain("git gave no answer within 50 ms");
      }
    } finally {
      vi.unstubAllEnvs();
      slow.remove();
    }
  });

  it("starts no program that the repository's configuration names", async () => {
    const own = dirty.copy();
    const mark = join(own.root, "started");
    const program = join(own.root, "program.sh");
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
    writeFileSync(
      join(own.project, ".git/config"),
      `[core]\n\tfsmonitor = ${program}\n\tpager = ${program}\n[filter "x"]\n\tclean = ${program}\n\tprocess = ${program}\n\trequired = true\n[diff]\n\texternal = ${program}\n`,
    );
    writeFileSync(join(own.project, ".gitattributes"), "* filter=x\n");
    expect((await judge("git reset --hard", on(own))).verdict).toBe("ask");
    await expect(judgeFile(mark, "read", on(own))).resolves.toMatchObject({ verdict: "allow" });
    expect(() => rmSync(mark)).toThrow();
    own.remove();
  });

  it("starts no program that a submodule's configuration names, and knows its edits where git enters it", async () => {
    const own = dirty.copy();
    const mark = join(own.root, "started");
    const git = (folder: string, ...args: string[]): void =>
      void execFileSync("git", ["-c", "protocol.file.allow=always", "-C", join(own.root, folder), ...args], {
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
        stdio: "ignore",
      });
    const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    execFileSync("git", ["init", "-q", join(own.root, "lib")]);
    writeFileSync(join(own.root, "lib/.gitattributes"), "* filter=x\n");
    writeFileSync(join(own.root, "lib/a.txt"), "a\n");
    git("lib", "add", ".");
    git("lib", ...who, "commit", "-qm", "a");
    const top = own.project.slice(own.root.length + 1);
    git(top, "submodule", "add", "-q", join(own.root, "lib"), "sub");
    git(top, ...who, "commit", "-qam", "sub");
    const program = join(own.root, "program.sh");
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
    for (const name of ["filter.x.clean", "core.fsmonitor", "diff.external"])
      git(join(top, "sub"), "config", name, program);
    writeFileSync(join(own.project, "sub/a.txt"), "b\n");
    for (const command of ["git reset --hard", "git checkout .", "git clean -fdx", "git stash", "git -C sub diff"])
      await judge(command, on(own));
    expect((await judge("git checkout -f", on(own))).verdict).toBe("allow");
    git(top, "config", "submodule.recurse", "true");
    const { verdict, reason } = await judge("git checkout -f", on(own));
    expect([verdict, reason]).toEqual(["ask", expect.stringContaining("a.txt")]);
    expect(() => rmSync(mark)).toThrow();
    own.remove();
  });
});
