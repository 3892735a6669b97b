import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import ignore from "ignore";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { loadReader } from "../../../runtime/src/command/reader.ts";
import type { RuleUse } from "../../src/claude/hooks/bash-rule.ts";
import { pathPattern } from "../../src/claude/hooks/gitignore.ts";
import { type RuleCall, type RuleWorld, readRule } from "../../src/claude/hooks/rule.ts";

let root: string;
let world: RuleWorld;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "rules-")));
  for (const folder of ["cwd/src/deep", "cwd/vendor/src", "cwd/a", "cwd/secrets", "home/.ssh", "settings/src", "other"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["cwd/.env", "cwd/a/.env", "home/.ssh/id_rsa", "other/plain.ts", "cwd/a/b.ts"])
    writeFileSync(join(root, file), "");
  symlinkSync(join(root, "home/.ssh/id_rsa"), join(root, "cwd/key"));
  symlinkSync(join(root, "other"), join(root, "cwd/out"));
  symlinkSync(join(root, "cwd"), join(root, "there"));
  symlinkSync(join(root, "nowhere"), join(root, "cwd/dangling"));
  const { cwd, home, folder } = { cwd: join(root, "cwd"), home: join(root, "home"), folder: join(root, "settings") };
  world = { cwd, home, folder, files: systemFiles, shell: await loadReader() };
});
afterAll(() => rmSync(root, { recursive: true }));

const call = (tool_name: string, tool_input: RuleCall["tool_input"] = {}): RuleCall => ({ tool_name, tool_input });

function holds(text: string, about: RuleCall, use: RuleUse = "deny"): boolean {
  const read = readRule(text, use);
  if (!read.ok) throw new Error(`${text} ${read.problem}`);
  return read.rule.holds(about, world) !== false;
}

/** Paths in the tables begin with the root of the test. */
const at = (path: string): string => path.replace("ROOT", root);

describe("names of tools in rules", () => {
  it.each<readonly [string, string, boolean]>([
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["Bash(*)", "Bash", true],
    ["*", "anything", true],
    ["mcp__*", "mcp__a__b", true],
    ["mcp__*", "Bash", false],
    ["mcp__puppeteer", "mcp__puppeteer__navigate", true],
    ["mcp__puppeteer", "mcp__puppeteer2__navigate", false],
    ["mcp__puppeteer__*", "mcp__puppeteer__navigate", true],
    ["mcp__puppeteer__navigate", "mcp__puppeteer__navigate", true],
    ["mcp__puppeteer__navigate", "mcp__puppeteer__navigate2", false],
    ["Task", "Agent", true],
    ["Agent", "Task", true],
    ["Edit", "Write", true],
    ["Edit", "MultiEdit", true],
    ["Edit", "Read", false],
    ["Read", "Grep", true],
    ["Read", "Write", false],
    ["Write", "Edit", false],
    ["constructor", "toString", false],
  ])("%s is about %s: %s", (rule, tool, expected) => {
    expect(holds(rule, call(tool))).toBe(expected);
  });

  it.each<readonly [string, string, boolean]>([
    ["Edit", "Write", false],
    ["Edit(*.ts)", "Write", false],
    ["Write(*.ts)", "Write", true],
    ["Edit(*.ts)", "Edit", true],
    ["Read(*.ts)", "Edit", false],
  ])("an if of %s is about the tool alone: %s is %s", (rule, tool, expected) => {
    expect(holds(rule, call(tool, { file_path: "x.ts" }), "if")).toBe(expected);
  });
});

describe("paths in rules", () => {
  it.each<readonly [string, string, string, boolean]>([
    ["025 an ending, at any depth", "Edit(*.ts)", "ROOT/cwd/a/b.ts", true],
    ["another ending", "Edit(*.ts)", "ROOT/cwd/a/b.js", false],
    ["outside of the folder", "Edit(*.ts)", "ROOT/other/plain.ts", false],
    ["a name, at any depth", "Edit(.env)", "ROOT/cwd/a/.env", true],
    ["a name in this folder", "Edit(./.env)", "ROOT/cwd/.env", true],
    ["a name in this folder, not below", "Edit(./.env)", "ROOT/cwd/a/.env", false],
    ["a path with a slash is tied", "Edit(a/.env)", "ROOT/cwd/x/a/.env", false],
    ["an absolute path", "Edit(/ROOT/other/**)", "ROOT/other/x/y", true],
    ["any name anywhere", "Edit(//**/.env)", "/somewhere/.env", true],
    ["the home", "Edit(~/.ssh/**)", "ROOT/home/.ssh/id_rsa", true],
    ["the home by its sign", "Edit(~/.ssh/**)", "~/.ssh/id_rsa", true],
    ["the folder of the settings", "Edit(/src/**)", "ROOT/settings/src/x", true],
    ["not the root", "Edit(/src/**)", "/src/x", false],
    ["not the cwd", "Edit(/src/**)", "ROOT/cwd/src/x", false],
    ["a folder above", "Edit(../other/**)", "ROOT/other/x", true],
    ["a folder is all in it", "Edit(secrets)", "ROOT/cwd/secrets/a/b", true],
    ["a folder with a slash", "Edit(secrets/)", "ROOT/cwd/secrets/a", true],
    ["dir/** is the folder too", "Edit(secrets/**)", "ROOT/cwd/secrets", true],
    ["stars stay within a name", "Edit(src/*.ts)", "ROOT/cwd/src/deep/x.ts", false],
    ["two stars do not", "Edit(src/**/*.ts)", "ROOT/cwd/src/deep/x.ts", true],
    ["sets", "Edit([ab].ts)", "ROOT/cwd/a/b.ts", true],
    ["everything below", "Edit(**)", "ROOT/cwd/x", true],
    ["dots are taken out", "Edit(.env)", "ROOT/cwd/a/./x/../../.env", true],
    ["relative", "Edit(.env)", "a/.env", true],
    ["what a link leads to", "Edit(~/.ssh/**)", "ROOT/cwd/key", true],
    ["the link itself", "Edit(key)", "ROOT/cwd/key", true],
    ["a file behind a linked folder", "Edit(/ROOT/other/**)", "ROOT/cwd/out/new/file", true],
    ["a folder by another name", "Edit(.env)", "ROOT/there/.env", true],
    ["a rule that names a link", "Edit(/ROOT/there/a/**)", "ROOT/cwd/a/x", true],
    ["up behind a link, as the system goes", "Edit(/ROOT/home/**)", "ROOT/cwd/out/../home/x", true],
    ["a link that leads nowhere", "Edit(/ROOT/unrelated/**)", "ROOT/cwd/dangling", true],
    ["elsewhere", "Edit(~/.ssh/**)", "ROOT/cwd/a/b.ts", false],
    ["no path at all", "Edit(~/.ssh/**)", "", true],
    ["a name with a zero byte", "Edit(.env)", "ROOT/cwd/\0", false],
    ["a very long path", "Edit(.env)", `ROOT/cwd/${"a/".repeat(20_000)}.env`, true],
  ])("%s", (_, rule, path, expected) => {
    expect(holds(at(rule), call("Write", { file_path: at(path) }))).toBe(expected);
    expect(holds(at(rule), call("Edit", { file_path: at(path) }), "ask")).toBe(expected);
  });

  it.each<readonly [RuleUse, string, boolean]>([
    ["allow", "ROOT/cwd/src/x", true],
    ["allow", "ROOT/cwd/vendor/src/x", false],
    ["if", "ROOT/cwd/vendor/src/x", false],
    ["deny", "ROOT/cwd/vendor/src/x", true],
    ["ask", "ROOT/cwd/vendor/src/x", true],
  ])("src/** as a rule to %s: %s is %s", (use, path, expected) => {
    expect(holds("Edit(src/**)", call("Edit", { file_path: at(path) }), use)).toBe(expected);
    expect(holds("Edit(**/src/**)", call("Edit", { file_path: at(path) }), use)).toBe(true);
    expect(holds("Edit(./src/**)", call("Edit", { file_path: at(path) }), use)).toBe(path.includes("cwd/src"));
  });

  it("allows a link only where both its name and its end are allowed", () => {
    expect(holds("Read(**)", call("Read", { file_path: at("ROOT/cwd/key") }), "allow")).toBe(false);
    expect(holds("Read(//**)", call("Read", { file_path: at("ROOT/cwd/key") }), "allow")).toBe(true);
    expect(holds("Edit(//**)", call("Edit", { file_path: at("ROOT/cwd/dangling") }), "allow")).toBe(false);
  });

  it("ignores case if the file system does", () => {
    const read = readRule("Read(./Secrets/*.Key)", "deny");
    const about = call("Read", { file_path: "SECRETS/a.KEY" });
    expect(read.ok && read.rule.holds(about, { ...world, ignoresCase: true })).toBe("certain");
    expect(read.ok && read.rule.holds(about, world)).toBe(false);
  });

  it.each<readonly [string, string, RuleCall["tool_input"], boolean]>([
    ["Read(.env)", "Read", { file_path: ".env" }, true],
    ["Read(.env)", "Write", { file_path: ".env" }, true],
    ["Read(.env)", "NotebookEdit", { notebook_path: ".env" }, false],
    ["Edit(.env)", "NotebookEdit", { notebook_path: ".env" }, true],
    ["Edit(.env)", "Read", { file_path: ".env" }, false],
    ["Read(secrets/**)", "Grep", { pattern: "x", path: "secrets" }, true],
    ["Read(secrets/**)", "Grep", { pattern: "x" }, false],
    ["Read(secrets/**)", "Grep", { pattern: "x", glob: "secrets/*.ts" }, true],
    ["Read(secrets/**)", "Glob", { pattern: "secrets/*" }, true],
    ["Read(~/.ssh/**)", "Glob", { pattern: "../home/.ssh/*" }, true],
    ["Read(secrets/**)", "Glob", { pattern: "**/*.ts" }, false],
    ["Read(secrets/**)", "LS", { path: "secrets" }, true],
    ["Read(**)", "LS", {}, true],
    ["Read(.env)", "Grep", { path: 5 }, true],
  ])("%s holds for %s of %j: %s", (rule, tool, input, expected) => {
    expect(holds(rule, call(tool, input))).toBe(expected);
  });

  it.each<readonly [string, string, boolean]>([
    ["Read(.env)", "cat .env", true],
    ["Read(.env)", "sudo head -n 3 ./a/../.env", true],
    ["Read(.env)", "cat < .env", true],
    ["Read(.env)", "cat .e*", true],
    ["Read(.env)", "cd a && cat .env", true],
    ["Read(./a/.env)", "cd a && cat .env", true],
    ["Read(.env)", "f=.env; cat $f", true],
    ["Read(.env)", "grep -r .env src", false],
    ["Read(.env)", "grep KEY .env", true],
    ["Read(.env)", "echo .env", false],
    ["Read(.env)", "echo > .env", false],
    ["Read(~/.ssh/**)", "cat ~/.ssh/id_rsa", true],
    ["Read(~/.ssh/**)", "cat key", true],
    ["Read(~/.ssh/**)", "cp $HOME/.ssh/id_rsa x", true],
    ["Edit(.env)", "echo x > .env", true],
    ["Edit(.env)", "echo x >> .env", true],
    ["Edit(.env)", "echo x | tee .env", true],
    ["Edit(.env)", "sed -i s/a/b/ .env", true],
    ["Edit(.env)", "sed s/a/b/ .env", false],
    ["Edit(.env)", "cp .env x", false],
    ["Edit(.env)", "cp x .env", true],
    ["Edit(.env)", "rm -f .env", true],
    ["Edit(.env)", "cat .env 2>&1 > /dev/null", false],
    ["Edit(.env)", "echo 'never ends", true],
  ])("%s holds for the command %j: %s", (rule, command, expected) => {
    expect(holds(rule, call("Bash", { command }))).toBe(expected);
  });
});

describe("other patterns in rules", () => {
  it.each<readonly [string, string, boolean]>([
    ["domain:example.com", "https://example.com/x", true],
    ["domain:example.com", "https://EXAMPLE.com.:8080/x", true],
    ["domain:example.com", "https://evil.com/example.com", false],
    ["domain:example.com", "https://sub.example.com", false],
    ["domain:*.example.com", "https://a.b.example.com", true],
    ["domain:*.example.com", "https://example.com", false],
    ["domain:*.example.com", "https://evilexample.com", false],
    ["domain:example.*", "https://example.org", true],
    ["domain:example.*", "https://example.evil.com", false],
    ["domain:*", "https://anything.at", true],
    ["domain:example.com", "no address", true],
  ])("WebFetch(%s) for %s: %s", (pattern, url, expected) => {
    expect(holds(`WebFetch(${pattern})`, call("WebFetch", { url }))).toBe(expected);
  });

  it.each<readonly [string, string, RuleCall["tool_input"], boolean]>([
    ["Agent(Explore)", "Agent", { subagent_type: "Explore" }, true],
    ["Task(Explore)", "Agent", { subagent_type: "Explore" }, true],
    ["Agent(Explore)", "Agent", { subagent_type: "Plan" }, false],
    ["Agent(tools:reviewer)", "Agent", { subagent_type: "tools:reviewer" }, true],
    ["Agent(model:opus)", "Agent", { subagent_type: "x", model: "opus" }, true],
    ["Agent(model:*)", "Agent", { subagent_type: "x" }, false],
    ["Agent(model : o*)", "Agent", { model: "opus" }, true],
    ["Bash(run_in_background:true)", "Bash", { command: "ls", run_in_background: true }, true],
    ["Bash(run_in_background:true)", "Bash", { command: "ls", run_in_background: false }, false],
    ["Bash(timeout:*)", "Bash", { command: "timeout 3 ls" }, true],
    ["Bash(npm:x)", "Bash", { command: "npm:x" }, true],
    ["mcp__a__b(force:true)", "mcp__a__b", { force: true }, true],
    ["mcp__a__b(toString:*)", "mcp__a__b", {}, false],
    ["Cd(~/x)", "Cd", {}, false],
  ])("%s for %s with %j: %s", (rule, tool, input, expected) => {
    expect(holds(rule, call(tool, input))).toBe(expected);
  });
});

describe("rules that cannot be read", () => {
  it.each<readonly [unknown, RuleUse, string, string]>([
    [5, "deny", "is no text", "Bash"],
    ["", "deny", "is no rule", "Tool"],
    ["Bash(", "deny", "is no rule", "parentheses"],
    ["Bash(x) y", "deny", "is no rule", "parentheses"],
    ["Bash()", "deny", "nothing in its parentheses", '"Bash"'],
    ["Bash(:*)", "deny", "names no command", '"Bash"'],
    ["Bash(command:rm *)", "deny", 'the parameter "command"', '"Bash(rm *)"'],
    ["Read(file_path:/x)", "deny", 'the parameter "file_path"', '"Read(/x)"'],
    ["WebFetch(https://example.com)", "deny", "has no host name", "domain:HOST"],
    ["WebFetch(url:https://x)", "deny", 'the parameter "url"', "domain:HOST"],
    ["Edit(!x)", "deny", 'begins with "!"', "rule"],
    ["deploy(prod)", "deny", 'has a pattern, but rules for "deploy" have none', '"deploy"'],
    ["bash(rm *)", "deny", "names no tool", 'Did you mean "Bash"?'],
    ["find", "ask", "names no tool", 'Did you mean "Glob"?'],
    ["edit(*.ts)", "if", "names no tool", 'Did you mean "Edit"?'],
    ["mcp__*", "allow", "without naming a server", "SERVER"],
    [`Bash(${"x".repeat(2_000)})`, "deny", "longer than", "Shorten"],
  ])("%s to %s", (text, use, problem, remedy) => {
    const read = readRule(text, use);
    expect(read).toMatchObject({
      ok: false,
      problem: expect.stringContaining(problem),
      remedy: expect.stringContaining(remedy),
    });
  });

  it.each<readonly [string, RuleUse, string]>([
    ["Bsah(x:y)", "deny", 'Did you mean "Bash"?'],
    ["Write(docs/**)", "deny", "Edit(docs/**)"],
    ["Glob(docs/**)", "ask", "Read(docs/**)"],
  ])("%s to %s is read, with a note", (text, use, remedy) => {
    expect(readRule(text, use)).toMatchObject({ ok: true, notes: [{ remedy: expect.stringContaining(remedy) }] });
  });

  it("never throws, whatever the rule and the call", () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom("Bash", "Edit", "Read", "WebFetch", "Agent", "x", "mcp__a"), fc.string())
        .map(([tool, rest]) => `${tool}(${rest})`),
    );
    const input = fc.dictionary(
      fc.constantFrom("command", "file_path", "path", "url", "pattern", "subagent_type"),
      fc.anything(),
    );
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("if", "deny", "ask", "allow"),
        fc.constantFrom("Bash", "Edit", "Read", "Grep", "Glob", "WebFetch", "Agent", "x"),
        input,
        (rule, use, tool, given) => {
          const read = readRule(rule, use as RuleUse);
          const held = read.ok && read.rule.holds(call(tool, given), world);
          const kinds = ["certain", "possible", "hidden", "unknown", "passed", false];
          if (read.ok) expect(kinds).toContain(typeof held === "object" ? held.kind : held);
          else expect(read.remedy).not.toBe("");
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("path patterns", () => {
  it("agree with lines of .gitignore", () => {
    const part = fc.constantFrom("a", "b", "ab", "*", "**", "a*", "*b", "?", "[ab]", "[!a]", "a.b");
    const line = fc
      .tuple(fc.constantFrom("", "/"), fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "/"))
      .map(([start, parts, end]) => `${start}${parts.join("/")}${end}`);
    const path = fc.array(fc.constantFrom("a", "b", "ab", "bb", "a.b"), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(line, path, (pattern, names) => {
        // Here, dir/** is the folder itself too.
        fc.pre(!/\/\*\*\/?$/.test(pattern));
        const expected = ignore().add(pattern).ignores(names.join("/"));
        expect(pathPattern(pattern).test(names.join("/"), false), `${pattern} ${names.join("/")}`).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  it("finish on patterns of many stars", () => {
    expect(pathPattern(`${"*a".repeat(400)}b`).test(`${"a".repeat(4_000)}`, false)).toBe(false);
    expect(pathPattern(`${"**/a/".repeat(200)}b`).test("a/".repeat(2_000), false)).toBe(false);
  });
});
