import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lookAt } from "../../src/verify/files.ts";

test("a look at a repository starts no program that its configuration names", () => {
  const top = mkdtempSync(join(tmpdir(), "hookline-verify-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [project, mark, program] = ["project", "started", "program.sh"].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  execFileSync("git", ["init", "-q", project]);
  writeFileSync(join(project, ".gitattributes"), "* filter=x\n");
  writeFileSync(join(project, "a.txt"), "a\n");
  git("add", ".");
  git("commit", "-qm", "a");
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
  for (const name of ["filter.x.clean", "core.fsmonitor"]) git("config", name, program);
  writeFileSync(join(project, "a.txt"), "b\n");
  expect([...lookAt(project).files.keys()]).toEqual(["a.txt"]);
  expect(existsSync(mark)).toBe(false);
});
