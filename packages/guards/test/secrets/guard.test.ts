import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "@hookline/runtime";
import type { Call } from "@hookline/runtime/dialect";
import type { Guard } from "@hookline/runtime/guard";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secrets } from "../../src/secrets/guard.ts";
import { EnvFiles, remoteHosts } from "../../src/secrets/project.ts";
import { loadSecrets } from "../../src/secrets/secrets.ts";
import { made, seeded } from "./corpus.ts";

const KEY = made("sk_<>live_<<alnum 24>>", seeded(21));
const VALUE = "k9-Zu7-ppQ2-xx";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const full = join(folder, path);
  mkdirSync(join(full, ".."), { recursive: true });
  writeFileSync(full, text);
  return full;
}

const notices: string[] = [];
const call = { notice: (text: string) => notices.push(text) } as unknown as Call;

function guardOn(event: string, guards: readonly Guard[] = secrets()): (payload: object) => Promise<any> {
  const one = guards.find(({ on }) => on === event) as Guard;
  return async (payload) => one.run(payload as never, call);
}

describe("a call", () => {
  const ask = guardOn("tool.before");

  test.each<[tool: string, args: object, aliases?: readonly string[]]>([
    ["read", { path: ".env" }],
    ["Read", { file_path: "/work/.env" }],
    ["read_many_files", { paths: ["a.ts", "config/.env.local"] }],
    ["mcp__files__read", { options: { path: "deploy/id_rsa" } }],
    ["grep", { pattern: "x", glob: ".env" }],
    ["shell", { command: ["bash", "-lc", "cat .env"] }],
    ["shell", { command: ["cat", ".env"] }],
    ["exec", { cmd: "cat .env" }],
  ])("of %s with %j is refused", async (tool, args) => {
    expect(await ask({ tool, args })).toEqual({ deny: expect.stringContaining("holds secret values") });
  });

  test.each<[tool: string, args: object]>([
    ["ls", { path: ".env" }],
    ["find", { pattern: "*", path: ".env" }],
    ["write", { path: ".env", content: "A=1" }],
    ["edit", { path: ".env", edits: [{ oldText: "a", newText: "b" }] }],
    ["mcp__tracker__create_issue", { title: ".env", body: "cat .env" }],
    ["shell", { command: ["echo", "cat .env"] }],
  ])("of %s with %j passes", async (tool, args) => {
    expect(await ask({ tool, args })).toBeUndefined();
  });

  test("that reads a link to a secret file is refused", async () => {
    symlinkSync(write(".env", "A=1"), join(folder, "notes.txt"));
    expect(await ask({ tool: "read", args: { path: join(folder, "notes.txt") } })).toEqual({
      deny: expect.any(String),
    });
  });

  test("that writes the name of a secret in its place is refused, of a name that was never given it is not", async () => {
    const guards = secrets();
    const { content } = await guardOn("tool.after", guards)({ content: [{ type: "text", text: KEY }], details: {} });
    const [{ text }] = content;
    const asked = guardOn("tool.before", guards);
    expect(await asked({ tool: "write", args: { path: "a.ts", content: `const a = "${text}";` } })).toEqual({
      deny: expect.stringContaining(`Not written. ${text} stands for a value`),
    });
    expect(
      await asked({ tool: "edit", args: { path: "a.ts", edits: [{ oldText: "x", newText: text }] } }),
    ).toBeDefined();
    const other = { path: "a.md", content: "[secret: stripe key 999]" };
    expect(await asked({ tool: "write", args: other })).toBeUndefined();
  });

  test("that gives a known secret to a server asks, to a foreign host is refused", async () => {
    process.env["HOOKLINE_TEST_TOKEN"] = VALUE;
    try {
      const asked = guardOn("tool.before");
      const said = await asked({ tool: "mcp__chat__post", args: { body: { text: `it is ${VALUE}` } } });
      expect(said).toEqual({ ask: expect.stringContaining("gives the secret HOOKLINE_TEST_TOKEN to mcp__chat__post") });
      expect(await asked({ tool: "mcp__tracker__create_issue", args: { title: "a", body: VALUE } })).toHaveProperty(
        "ask",
      );
      const fetched = await asked({ tool: "web_fetch", args: { url: "https://x.example/", headers: { a: VALUE } } });
      expect(fetched).toEqual({ deny: expect.stringContaining("to x.example") });
      expect(await asked({ tool: "task", args: { prompt: "look" } })).toBeUndefined();
    } finally {
      delete process.env["HOOKLINE_TEST_TOKEN"];
    }
  });
});

describe("a result", () => {
  const ask = guardOn("tool.after");
  const text = (part: string) => [{ type: "text", text: part }];

  test("without secrets is not answered", async () => {
    expect(await ask({ content: text("all is well"), details: { lines: 3 } })).toBeUndefined();
  });

  test("loses the secrets of its details, also those that only their keys tell", async () => {
    const details = { structuredContent: { api_token: VALUE, page_token: "abcdefgh12", list: [KEY] }, diff: `+${KEY}` };
    const { details: clean } = await ask({ content: text("ok"), details });
    expect(JSON.stringify(clean)).not.toMatch(new RegExp(`${VALUE}|${KEY}`));
    expect(clean.structuredContent.page_token).toBe("abcdefgh12");
  });

  test("leaves pictures and signatures as they are", async () => {
    const content = [
      { type: "image", data: KEY, mimeType: "image/png" },
      { type: "thinking", thinking: "x", thinkingSignature: KEY },
    ];
    expect(await ask({ content, details: undefined })).toBeUndefined();
  });

  test("whose whole output has a secret that is not shown is changed, so that the file is removed", async () => {
    const path = write("hookline-bash-0123456789abcdef.log", `${KEY}\n${"line\n".repeat(100)}`);
    const { content } = await ask({ content: text("line"), details: { fullOutputPath: path } });
    expect(content).toHaveLength(2);
    writeFileSync(path, "line\n".repeat(100));
    expect(await ask({ content: text("line"), details: { fullOutputPath: path } })).toBeUndefined();
  });

  test("of 20 MB does not pass with its secret", async () => {
    const long = `${"password: x and some words\n".repeat(750_000)}${KEY}`;
    const { content } = await ask({ content: text(long), details: {} });
    expect(content[0].text.includes(KEY)).toBe(false);
  });
});

test("a prompt loses its secrets, and the person is told how to give one to a program", async () => {
  notices.length = 0;
  const { text } = await guardOn("prompt.before")({ text: `use ${KEY}` });
  expect(text).toMatch(/^use \[secret: stripe key \d+\]$/);
  expect(notices).toEqual([expect.stringMatching(/In their place the model reads their names: stripe key \d+\./)]);
});

test("a request loses the secrets of its system prompt and its messages, but not of what the model has written", async () => {
  const written = { role: "assistant", content: [{ type: "text", text: KEY }] };
  const request = {
    systemPrompt: KEY,
    messages: [{ role: "user", content: KEY }, written],
    tools: [],
    model: { id: "m" },
  };
  const { request: clean } = await guardOn("model.request")({ request });
  expect(JSON.stringify({ ...clean, messages: clean.messages.slice(0, 1) })).not.toContain(KEY);
  expect(clean.messages[1]).toBe(written);
  expect(await guardOn("model.context")({ messages: [written], systemPrompt: "s" })).toBeUndefined();
});

describe("a search of a whole value", () => {
  test("withholds the texts that it does not come to in its time, and no short ones", async () => {
    const one = await loadSecrets();
    let time = 0;
    const texts = [..."abc"].map((letter) => `${letter} ${"words ".repeat(400)}${KEY}`);
    const clean = one.redactAll({ id: "toolu_01", texts }, { limitMs: 3, now: () => time++ });
    expect(clean.id).toBe("toolu_01");
    expect(JSON.stringify(clean)).not.toContain(KEY);
    expect(clean.texts.at(-1)).toMatch(/^\[withheld: \d+ characters, which were not searched/);
  });

  test("does not search again what had no secret, until more is known", async () => {
    const one = await loadSecrets();
    const text = `some words ${VALUE} ${"and more ".repeat(20)}`;
    let asked = 0;
    const search = () => one.redactAll([text], { now: () => asked++ });
    expect(search()).toEqual([text]);
    const first = asked;
    asked = 0;
    search();
    expect(asked).toBeLessThan(first);
    one.learn([`ACME_TOKEN=${VALUE}\n`]);
    expect(search()[0]).toContain("[secret: ACME_TOKEN 1]");
  });

  test("gives no name that the text has already", async () => {
    const one = await loadSecrets();
    expect(one.redact("before: [secret: stripe key 4]").findings).toEqual([]);
    expect(one.redact(KEY).text).toBe("[secret: stripe key 5]");
  });
});

describe("the files of variables", () => {
  const isSecret = (path: string): boolean => !path.endsWith(".example");

  test("are found in the folder and below it, and read again when they change", () => {
    write(".env", "A=1");
    write("packages/api/.env.local", "B=1");
    write("node_modules/x/.env", "C=1");
    write(".env.example", "D=1");
    const files = new EnvFiles([folder], isSecret);
    expect(files.changed().sort()).toEqual(["A=1", "B=1"]);
    write(".env", "A=22");
    write("packages/web/.env", "E=1");
    const next = files.changed();
    expect(next).toContain("A=22");
    expect(next).toContain("E=1");
    rmSync(join(folder, ".env"));
    expect(files.changed()).not.toContain("A=22");
  });

  test("that are no files, too big or gone do not matter", () => {
    mkdirSync(join(folder, ".env"));
    write("a/.env", "x".repeat(1_000_001));
    symlinkSync(join(folder, "nowhere"), join(folder, "a", ".env.local"));
    expect(new EnvFiles([folder], isSecret).changed()).toEqual([]);
    expect(new EnvFiles([join(folder, "gone")], isSecret).changed()).toEqual([]);
  });
});

test("hosts of a repository are those of its remotes, also in a linked work tree", () => {
  write(
    ".git/config",
    '[remote "a"]\n\turl = https://git.acme.dev/x.git\n[remote "b"]\n\turl = git@code.acme.io:x.git\n',
  );
  mkdirSync(join(folder, "src", "deep"), { recursive: true });
  expect(remoteHosts(join(folder, "src", "deep"))).toEqual(["git.acme.dev", "code.acme.io"]);
  const linked = join(folder, "linked");
  mkdirSync(linked);
  writeFileSync(join(linked, ".git"), `gitdir: ${join(folder, ".git", "worktrees", "linked")}\n`);
  expect(remoteHosts(linked)).toEqual(["git.acme.dev", "code.acme.io"]);
  expect(remoteHosts("/")).toEqual([]);
});

describe("is alive whatever a person has set", () => {
  test.each([{ allowFiles: [".env*"] }, { show: ["stripe key"] }])("%j", async (settings) => {
    const runtime = createRuntime({ dialects: [] });
    const session = await runtime.open({ scene: { sessionId: "1", cwd: folder } });
    for (const one of secrets(settings, { cwd: folder })) session.on(one);
    const { dead, alive } = await session.prove();
    expect([dead, alive > 0]).toEqual([[], true]);
    await runtime.close();
  });
});

test("the values of the working folder are known, however deep it is in the project", async () => {
  write("a/b/c/d/app/.env", `TOKEN=${VALUE}`);
  const deep = guardOn("tool.after", secrets({}, { cwd: join(folder, "a/b/c/d/app"), project: folder }));
  const result = { tool: "bash", args: {}, content: [{ type: "text", text: `it is ${VALUE}` }], details: {} };
  expect(JSON.stringify(await deep(result))).not.toContain(VALUE);
});

test.each<[tool: string, args: object]>([
  ["str_replace_based_edit_tool", { command: "view", path: ".env" }],
  ["findInFile", { path: ".env", text: "x" }],
])("%s with %j reads", async (tool, args) => {
  expect(await guardOn("tool.before")({ tool, args })).toEqual({ deny: expect.any(String) });
});

test("a link is followed from the folder in which the call runs", async () => {
  symlinkSync(write(".env", "A=1"), join(folder, "notes.txt"));
  const ask = guardOn("tool.before", secrets({}, { cwd: folder }));
  expect(await ask({ tool: "read", args: { path: "notes.txt" } })).toEqual({ deny: expect.any(String) });
});
