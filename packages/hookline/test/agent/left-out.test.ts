import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Bench, startBench } from "./bench.ts";

const SECRET = "TOKEN=not-a-real-secret";
const FILES = {
  "~/.claude/settings.json": JSON.stringify({ permissions: { deny: ["Read(./.env)", "Read(./secrets/**)"] } }),
  "secrets/key": SECRET,
  ".env": SECRET,
  "src/a.ts": "const TOKEN = 1;\n",
};

/** Runs one call, and returns the text of its result. */
async function resultOf(
  name: string,
  args: Record<string, unknown>,
  more: (bench: Bench) => void = () => {},
): Promise<string> {
  const bench = await startBench({
    files: FILES,
    replies: [{ toolCalls: [{ name, arguments: args }] }, { text: "done" }],
  });
  more(bench);
  await bench.agent.prompt("Go");
  const ended = bench.events.find(({ type }) => type === "tool_execution_end") as unknown as {
    result: { content: { text: string }[] };
  };
  return ended.result.content.map(({ text }) => text).join("\n");
}

test.each([
  ["grep", { pattern: "TOKEN" }],
  ["grep", { pattern: "TOKEN", path: ".", glob: "**/key" }],
  ["grep", { pattern: "TOKEN", glob: ".e*" }],
  ["find", { pattern: "**/{key,.env,a.ts}" }],
  ["ls", { path: "." }],
])("%s %j leaves out what rules deny, and says so [claude.files.1]", async (name, args) => {
  const text = await resultOf(name, args);
  expect(text).not.toMatch(/not-a-real-secret|\.env|key/);
  expect(text).toMatch(/entr(?:y|ies) left out because of rules about reading/);
  if (!("glob" in args)) expect(text).toMatch(name === "ls" ? /src\// : /src\/a\.ts/);
});

test("a search that meets nothing denied says nothing of rules [claude.files.1]", async () => {
  expect(await resultOf("grep", { pattern: "TOKEN", path: "src" })).toBe("a.ts:1: const TOKEN = 1;");
});

test("a folder reached by a link is the same folder", async () => {
  const text = await resultOf("grep", { pattern: "TOKEN", path: "here" }, ({ project }) =>
    symlinkSync(".", join(project, "here")),
  );
  expect(text).not.toContain("not-a-real-secret");
});

test.each([
  ["read", { path: "copy" }],
  ["grep", { pattern: "TOKEN" }],
  ["grep", { pattern: "TOKEN", path: "copy" }],
  ["edit", { path: "copy", edits: [{ oldText: "TOKEN", newText: "T" }] }],
  ["write", { path: "copy", content: "" }],
])("%s %j does not reach a denied file by another hard link [claude.files.2]", async (name, args) => {
  const text = await resultOf(name, args, ({ project }) => {
    linkSync(join(project, "secrets/key"), join(project, "copy"));
    mkdirSync(join(project, "many"));
    for (let n = 0; n < 200; n++) writeFileSync(join(project, "many", `${n}`), "TOKEN");
  });
  expect(text).not.toContain("not-a-real-secret");
  expect(text).toMatch(/denied by the rule|left out/);
});

test.each(["payroll's.txt", "@payroll's.txt", "./payroll's.txt"])(
  "a rule holds for the file that read %s opens [claude.files.3]",
  async (path) => {
    const bench = await startBench({
      files: {
        "~/.claude/settings.json": JSON.stringify({ permissions: { deny: ["Read(./payroll\u2019s.txt)"] } }),
        "payroll\u2019s.txt": SECRET,
      },
      replies: [{ toolCalls: [{ name: "read", arguments: { path } }] }, { text: "done" }],
    });
    await bench.agent.prompt("Go");
    const [, asked] = bench.server.requests;
    expect(JSON.stringify(asked?.body)).not.toContain("not-a-real-secret");
    expect(JSON.stringify(asked?.body)).toContain("denied by the rule");
  },
);
