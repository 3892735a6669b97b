import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describe as describeError } from "../../src/cli/run.ts";
import { Desk } from "../authors/desk.ts";

const GUARD = `import json, sys
path = json.load(sys.stdin)["tool_input"].get("file_path", "")
if path.endswith("package-lock.json") or ".env" in path:
    print("protected", file=sys.stderr)
    sys.exit(2)
`;
const SECRET = "KEY=s3cr3t-of-this-desk";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
  rmSync(desk.cwd, { recursive: true, force: true });
  mkdirSync(desk.cwd);
  const command = 'python3 "$CLAUDE_PROJECT_DIR"/.claude/hooks/protect.py';
  const hooks = { PreToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command }] }] };
  desk.write(".git/HEAD", "ref: refs/heads/main\n");
  desk.write(".gitignore", ".env\n");
  desk.write(".claude/settings.json", JSON.stringify({ hooks }, null, 2));
  desk.write(".claude/hooks/protect.py", GUARD);
  desk.write(".env", `${SECRET}\n`);
  desk.write("package-lock.json", "{}\n");
  desk.write("package.json", "{}\n");
});

afterEach(() => desk.remove());

/** Writes a file with the agent's tool, in a session of its own; returns what was said, and whether it was written. */
async function write(path: string): Promise<{ written: boolean; said: string }> {
  const call = { name: "write", arguments: { path, content: "changed\n" } };
  desk.write("~/script.yaml", JSON.stringify({ replies: [{ toolCalls: [call] }, { text: "done", repeat: true }] }));
  const { out, err } = await desk.hookline(["--script", desk.path("~/script.yaml"), "-p", "go"]);
  return { written: existsSync(desk.path(path)) && desk.read(path) === "changed\n", said: out + err };
}

const verdicts = async (): Promise<string[]> =>
  (await desk.hookline(["trust", "--json"])).json.entries.map(({ state }: { state: string }) => state);

describe("the guard that protects .env and package-lock.json", () => {
  test("neither shows, keeps nor locks a secret", async () => {
    const { out } = await desk.hookline(["trust", "approve", "--yes", "--lock"]);
    expect(out).toContain("reads .env (data: may change freely)");
    expect(out).toContain("reads package-lock.json (data: may change freely); to cover it: --bind package-lock.json");
    expect(out).not.toContain(SECRET);
    const kept = join(desk.hooklineHome, "cache/approved");
    for (const name of readdirSync(kept)) expect(readFileSync(join(kept, name), "utf8")).not.toContain(SECRET);
    expect(desk.read("hookline.lock")).toContain('"version": 3');
    expect(desk.read("hookline.lock")).not.toMatch(/"path": "[^"]*\.env"/);
  });

  test("keeps its approval through npm install, refuses what it protects, and lets the rest pass", async () => {
    await desk.hookline(["trust", "approve", "--yes"]);
    desk.write("package-lock.json", '{"packages":{}}\n');
    desk.write(".env", "KEY=other\n");
    expect(await verdicts()).toEqual(["approved"]);
    expect(await write("src/a.txt")).toMatchObject({ written: true });
    expect(await write("package-lock.json")).toMatchObject({ written: false });
    expect(await write(".env")).toMatchObject({ written: false });
  });

  test("asks again, and names the file, after a change of its code or new code in its folder", async () => {
    await desk.hookline(["trust", "approve", "--yes"]);
    desk.write(".claude/hooks/json.py", "def load(_): return {}\n");
    expect(await verdicts()).toEqual(["changed"]);
    rmSync(desk.path(".claude/hooks/json.py"));
    expect(await verdicts()).toEqual(["approved"]);
    desk.write(".claude/hooks/protect.py", `${GUARD}#\n`);
    const { out } = await desk.hookline(["hooks", "--strict"]);
    expect(out).toMatch(/protect\.py changed after it was approved/);
  });

  test("is met by a clone without .env and with another lock of packages", async () => {
    await desk.hookline(["trust", "approve", "--yes", "--lock"]);
    const clone = join(desk.top, "clone");
    cpSync(desk.cwd, clone, { recursive: true });
    rmSync(join(clone, ".env"));
    writeFileSync(join(clone, "package-lock.json"), '{"another":1}\n');
    rmSync(join(desk.hooklineHome, "trust.json"));
    const there = { cwd: clone };
    const { json, code } = await Object.assign(desk, there).hookline(["hooks", "--frozen", "--strict", "--json"]);
    expect(json.sources.map(({ state }: { state: string }) => state)).toEqual(["runs"]);
    expect(code).toBe(0);
  });

  test("can be bound to more once it is approved, and stays bound to what it was", async () => {
    await desk.hookline(["trust", "approve", "--yes"]);
    desk.write("config/denylist.txt", "secret\n");
    for (const path of ["package-lock.json", "config"])
      expect((await desk.hookline(["trust", "approve", "--yes", "--bind", path])).out).toContain("approved: ");
    desk.write("config/denylist.txt", "");
    expect(await verdicts()).toEqual(["changed"]);
    desk.write("config/denylist.txt", "secret\n");
    expect(await verdicts()).toEqual(["approved"]);
    desk.write("package-lock.json", '{"packages":{}}\n');
    expect(await verdicts()).toEqual(["changed"]);
  });

  test("can have its data covered by --bind, after which a change is asked about", async () => {
    await desk.hookline(["trust", "approve", "--yes", "--bind", "package-lock.json"]);
    expect(await verdicts()).toEqual(["approved"]);
    desk.write("package-lock.json", '{"packages":{}}\n');
    expect(await verdicts()).toEqual(["changed"]);
  });
});

describe("a denylist", () => {
  test("of a guard is not written by the agent's own tools without a question", async () => {
    desk.write("config/denylist.txt", "secret\n");
    desk.write(".claude/hooks/protect.py", `${GUARD}open("config/denylist.txt").read()\n`);
    await desk.hookline(["trust", "approve", "--yes"]);
    expect(await write("config/denylist.txt")).toMatchObject({ written: false });
    expect(await write("config/other.txt")).toMatchObject({ written: true });
  });
});

describe("what cannot be bound is said in a sentence", () => {
  test.each<[string, string, RegExp]>([
    ["a path that is not there", "absent", /absent is not a file or a folder/],
    ["a folder elsewhere", "..", /is outside the project/],
    ["a link to outside", "out", /is outside the project/],
  ])("%s", async (_name, path, says) => {
    symlinkSync("/usr/lib", desk.path("out"));
    const { code, err } = await desk.hookline(["trust", "approve", "--yes", "--bind", path]);
    expect(err).toMatch(says);
    expect(code).toBe(1);
  });
});

test.each([
  ["EROFS", "open", "the disk is read-only. Make it writable"],
  ["ENOSPC", "write", "the disk is full. Free some space"],
  ["EACCES", "mkdir", "permission is denied. Check who owns it"],
  ["ENOENT", "mkdir", "a folder above it is missing, or the disk is read-only"],
])("an approval that cannot be written says so: %s of %s", (code, syscall, says) => {
  const error = Object.assign(new Error(`${code}: no`), { code, syscall, path: "/home/a/.hookline/trust.json" });
  expect(describeError(error)).toContain(`hookline: /home/a/.hookline/trust.json cannot be used: ${says}`);
});
