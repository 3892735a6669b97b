import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { loadReader } from "../../../runtime/src/command/reader.ts";
import { readPermissions } from "../../src/claude/hooks/permissions.ts";
import type { RuleWorld } from "../../src/claude/hooks/rule.ts";

let root: string;
let world: Omit<RuleWorld, "folder">;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "walked-")));
  for (const path of [".env", "secrets/key", "src/a.ts", "ignored/secrets/key", ".git/HEAD", "lib/.env.d/x"]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "text");
  }
  writeFileSync(join(root, ".gitignore"), "ignored/\n");
  symlinkSync(".", join(root, "here"));
  world = { cwd: root, home: join(root, "home"), files: systemFiles, shell: await loadReader() };
});
afterAll(() => rmSync(root, { recursive: true }));

function decide(tool_name: string, tool_input: Readonly<Record<string, unknown>>, list: "deny" | "ask" = "deny") {
  const settings = { permissions: { [list]: ["Read(./.env)", "Read(./secrets/**)"] } };
  const permissions = readPermissions([{ path: "s.json", level: "user", folder: root, settings }]);
  return permissions.decide({ tool_name, tool_input }, world);
}

test.each([
  "grep -r TOKEN .",
  "grep -rn TOKEN",
  "grep -d recurse TOKEN .",
  "rgrep TOKEN",
  "cd src && grep -R TOKEN ..",
  "grep -r TOKEN here",
  "rg TOKEN",
  "rg --hidden TOKEN",
  "rg -uu TOKEN .",
  "rg -tjson TOKEN",
  "tar czf /tmp/x.tgz .",
  "tar -c -C .. -f - .",
  "tar -cf - secrets | cat",
  "cp -r . /tmp/y",
  "cp --archive -t /tmp/y .",
  "mv here/secrets other",
  "zip -r a.zip .",
  "diff -ru . /tmp/y",
  "rsync -a . host:/x",
  "scp -r . host:/x",
  "sudo grep -r TOKEN .",
  "bash -c 'grep -r TOKEN .'",
  "find . -type f -exec cat {} +",
  "find . -name '.e*' -exec head {} \\;",
  "find . -type f -exec sh -c 'cat \"$1\"' _ {} \\;",
  "find . ! -name .env | xargs cat",
  "find .env -exec base64 {} +",
  "find . -path ./src -prune -o -type f -print | xargs grep TOKEN",
  "find . -name '.e*' | while read -r f; do cat \"$f\"; done",
  "for f in $(find . -type f); do cat $f; done",
  "cat $(find . -type f)",
  "ls -d secrets/* | xargs cat",
  "cd secrets; ls | xargs cat",
  "fd -H . -x cat",
  "fd -H . | xargs cat",
  "grep -rl TOKEN . | xargs cat",
  "rg -l TOKEN | xargs head",
  "git grep TOKEN",
  "git -C . grep -n TOKEN",
  "git grep TOKEN HEAD",
  "git grep --no-index TOKEN",
  "git grep TOKEN -- secrets",
  "git grep TOKEN .env",
  "git ls-files | xargs cat",
  "cat $(git ls-files)",
  "cat *",
  "cat .e*",
  "cat .en[v]",
  "head */*",
  "cd secrets && cat *",
])("%s is refused", (command) => {
  expect(decide("Bash", { command })?.decision).toBe("deny");
});

test.each([
  "grep -r TOKEN src",
  "grep -r --include='*.ts' TOKEN .",
  "grep -r --exclude-dir=secrets --exclude='.e*' TOKEN .",
  "grep -rl TOKEN .",
  "rg -g '!secrets' TOKEN",
  "rg --hidden -g '*.ts' TOKEN",
  "rg TOKEN src",
  "tar czf /tmp/x.tgz --exclude=.env --exclude=./secrets .",
  "tar xzf x.tgz",
  "zip -r a.zip . -x '*.env' 'secrets/*' '*/secrets/*'",
  "rsync -a --exclude=.env --exclude secrets . host:/x",
  "diff -r -x .env -x secrets . /tmp/y",
  "cp -r src /tmp/y",
  "cp package.json /tmp/y",
  "mv src other",
  "cat src/*",
  "ls -R .",
  "find src -type f -exec cat {} +",
  "find . -type f -exec wc -l {} +",
  "find . -type f -exec grep -l TOKEN {} +",
  "find . ! -name .env ! -path '*/secrets/*' -type f | xargs cat",
  "find . -name '*.ts' | xargs cat",
  "find . -maxdepth 1 -name '*.json' -exec cat {} +",
  "find . -type f | xargs ls -l",
  "ls | xargs basename",
  "git grep -l TOKEN",
  "git grep TOKEN -- src",
  "git grep TOKEN -- '*.ts'",
  "git grep TOKEN -- ':!.env' ':!secrets'",
  "git ls-files src | xargs cat",
  "find . -name '*.ts'",
])("%s passes", (command) => {
  expect(decide("Bash", { command })).toBeUndefined();
});

test.each([
  ["grep -r TOKEN .", "grep -r TOKEN . ADVICE"],
  ["rg -uu TOKEN", "rg -uu TOKEN ADVICE"],
  ["tar czf /tmp/x.tgz .", "tar czf /tmp/x.tgz ADVICE ."],
  ["diff -r . /tmp/y", "diff -r ADVICE . /tmp/y"],
  ["zip -r a.zip .", "zip -r a.zip . ADVICE"],
  ["rsync -a . host:/x", "rsync -a ADVICE . host:/x"],
  ["cp -r . /tmp/y", "ADVICE . /tmp/y"],
  ["ag --hidden TOKEN", "ag --hidden ADVICE TOKEN"],
])("the refusal of %s names the files and an exclusion with which it passes", (command, next) => {
  const reason = decide("Bash", { command })?.reason ?? "";
  expect(reason).toContain("it would read .env, ");
  const [, advice = ""] = /Leave that out with (.*), or name other files\.$/.exec(reason) ?? [];
  expect(advice).not.toBe("");
  expect(decide("Bash", { command: next.replace("ADVICE", advice) })).toBeUndefined();
});

test("a file that ignore rules leave out of a search is not refused for", () => {
  writeFileSync(join(root, ".gitignore"), "ignored/\nsecrets/\n");
  expect(decide("Bash", { command: "rg TOKEN" })).toBeUndefined();
  expect(decide("Bash", { command: "rg -u TOKEN" })?.decision).toBe("deny");
  expect(decide("Bash", { command: "grep -r --exclude=.env TOKEN" })?.decision).toBe("deny");
  writeFileSync(join(root, ".gitignore"), "ignored/\n");
});

test("a rule that asks is asked about in the same way", () => {
  expect(decide("Bash", { command: "grep -r TOKEN ." }, "ask")?.decision).toBe("ask");
});

test("a search of a host that leaves nothing out is refused where it would read a denied file [claude.files.1]", () => {
  expect(decide("Grep", { pattern: "TOKEN" })).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("secrets/key"),
  });
  expect(decide("Grep", { pattern: "TOKEN", path: "src" })).toBeUndefined();
  world = { ...world, leavesOut: () => true };
  expect(decide("Grep", { pattern: "TOKEN" })).toBeUndefined();
});
