import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { judge, judgeFile } from "../../src/commands/judge.ts";
import { fixture } from "../commands/fixture.ts";

const made = fixture("clean");
afterAll(() => made.remove());
const place = { project: made.project, home: made.home };

it.each([
  ["deny", ".git/hooks/pre-commit"],
  ["deny", ".git/config"],
  ["deny", ".hookline/settings.json"],
  ["deny", ".claude/settings.json"],
  ["deny", "~/.claude/settings.json"],
  ["deny", "~/.bashrc"],
  ["deny", "~/.ssh/authorized_keys"],
  ["deny", "/etc/hosts"],
  ["deny", "src/../.git/hooks/x"],
  ["ask", "package-lock.json"],
  ["ask", ".github/workflows/ci.yml"],
  ["ask", "../other/keep.txt"],
  ["allow", "src/app.ts"],
  ["allow", "new/file.ts"],
  ["allow", ".gitignore"],
  ["allow", "docs/settings.json"],
] as const)("a file tool that writes: %s for %s", async (verdict, path) => {
  expect((await judgeFile(path, "write", place)).verdict).toBe(verdict);
});

it("sees a protected file behind a link", async () => {
  symlinkSync(".git/hooks", join(made.project, "h"));
  expect((await judgeFile("h/pre-commit", "write", place)).verdict).toBe("deny");
  expect((await judge("echo x > h/pre-commit", place)).verdict).toBe("deny");
});

it("lets a lock file be deleted, and no one but the package manager write it", async () => {
  expect((await judgeFile("package-lock.json", "delete", place)).verdict).toBe("allow");
  expect((await judge("rm -rf node_modules package-lock.json && npm i", place)).verdict).toBe("allow");
  expect((await judge("sed -i s/a/b/ package-lock.json", place)).verdict).toBe("ask");
});

it("protects, allows and hides what the settings name", async () => {
  const paths = { protect: ["config/", "*.pem"], allow: [".github/"], noRead: ["secrets/**", "*.key"] };
  const own = { ...place, paths };
  expect((await judgeFile("config/app.yaml", "write", own)).verdict).toBe("deny");
  expect((await judge("rm config/app.yaml", own)).verdict).toBe("deny");
  expect((await judgeFile(".github/workflows/ci.yml", "write", own)).verdict).toBe("allow");
  expect((await judgeFile("a/b.key", "read", own)).verdict).toBe("deny");
  expect((await judge("cat secrets/a.txt", own)).verdict).toBe("deny");
  expect((await judge("base64 < x.key", own)).verdict).toBe("deny");
  expect((await judge("cat README.md", own)).verdict).toBe("allow");
});

it("says what is protected and why", async () => {
  expect((await judgeFile("~/.bashrc", "write", place)).reason).toBe(
    "Not run. `write ~/.bashrc` would change ~/.bashrc, which is run or read whenever a program of this person starts. " +
      "Print the line, and a person can add it. A person can run it in a terminal, or add it to guards.paths.allow.",
  );
});
