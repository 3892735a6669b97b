import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startBench } from "./bench.ts";

const bash = (command: string) => ({ toolCalls: [{ name: "bash", arguments: { command } }] });

/** Ten turns of an ordinary task: look, reproduce, edit, test, commit. */
const replies = [
  bash("git log --oneline && git status --short"),
  {
    toolCalls: [
      { name: "ls", arguments: {} },
      { name: "read", arguments: { path: "src/total.js" } },
    ],
  },
  {
    toolCalls: [
      { name: "grep", arguments: { pattern: "total", path: "." } },
      { name: "find", arguments: { pattern: "*.js" } },
    ],
  },
  bash("node test.js"),
  {
    toolCalls: [
      {
        name: "edit",
        arguments: { path: "src/total.js", edits: [{ oldText: "let sum = 1;", newText: "let sum = 0;" }] },
      },
    ],
  },
  bash("node test.js"),
  {
    toolCalls: [
      { name: "edit", arguments: { path: "src/total.js", edits: [{ oldText: "not there", newText: "nothing" }] } },
      { name: "write", arguments: { path: "CHANGELOG.md", content: "# Changes\n\n- total of nothing is 0\n" } },
    ],
  },
  bash("git add -A && git commit -qm 'Fix the total of nothing'"),
  bash("git status --short; git log --oneline | wc -l"),
  { text: "total() is fixed and committed." },
];

test("a task of ten turns leaves the repository as it should be, and the session replays to the same context", async () => {
  const bench = await startBench({
    replies,
    files: {
      "src/total.js":
        "export function total(numbers) {\n  let sum = 1;\n  for (const number of numbers) sum += number;\n  return sum;\n}\n",
      "test.js": 'import { total } from "./src/total.js";\nif (total([]) !== 0) throw new Error("total of nothing");\n',
      "package.json": '{ "type": "module" }\n',
    },
  });
  const { agent, project, server } = bench;
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: project, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.test");
  git("add", "-A");
  git("commit", "-qm", "Begin");

  const result = await agent.prompt("The total of nothing should be 0. Fix and commit it.");
  expect(result).toMatchObject({ kind: "answered", text: "total() is fixed and committed." });
  expect(server.requests).toHaveLength(10);

  expect(git("status", "--short")).toBe("");
  expect(git("log", "--format=%s").trim().split("\n")).toEqual(["Fix the total of nothing", "Begin"]);
  expect(git("show", "--stat", "--format=", "HEAD")).toMatch(/CHANGELOG\.md[\s\S]*src\/total\.js/);
  expect(readFileSync(join(project, "src/total.js"), "utf8")).toContain("let sum = 0;");
  execFileSync(process.execPath, ["test.js"], { cwd: project });

  const results = agent.core.store
    .buildSessionContext()
    .messages.flatMap((message) => (message.role === "toolResult" ? [message.isError] : []));
  expect(results).toEqual([false, false, false, false, false, true, false, false, true, false, false, false]);

  const before = agent.core.store.buildSessionContext();
  await bench.close();
  const again = await bench.again(["-c"]);
  expect(again.agent.core.store.buildSessionContext()).toEqual(before);
});
