import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessTransport } from "@hookline/runtime/engine";
import { samplePayload } from "@hookline/runtime/testing";
import { expect, test } from "vitest";
import { builtinTools, sightTools } from "../../src/tool/builtin.ts";
import { BUILTIN, type BuiltinName } from "../../src/tool/names.ts";
import { validateArguments } from "../../src/tool/schema.ts";
import { makeFolder, textFrom } from "./folder.ts";

const processes: ProcessTransport = {
  run: async (call) => {
    call.onData?.(Buffer.from(JSON.stringify(call.command)), "stdout");
    return {
      status: "exited",
      exitCode: 0,
      stdout: "",
      stdoutValid: true,
      stderr: "",
      survivors: [],
      queueMs: 0,
      runMs: 0,
    };
  },
  open: () => Promise.reject(new Error("no process is kept here")),
  close: async () => {},
};

function toolsOf(cwd: string, more: Partial<Parameters<typeof builtinTools>[0]> = {}) {
  const tools = builtinTools({ cwd, processes, ...more });
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}

/** For each tool its required arguments, and all. */
const TAKES: Readonly<Record<BuiltinName, readonly [required: readonly string[] | undefined, all: readonly string[]]>> =
  {
    read: [["path"], ["path", "offset", "limit"]],
    bash: [["command"], ["command", "timeout"]],
    edit: [
      ["path", "edits"],
      ["path", "edits"],
    ],
    write: [
      ["path", "content"],
      ["path", "content"],
    ],
    grep: [["pattern"], ["pattern", "path", "glob", "ignoreCase", "literal", "context", "limit"]],
    find: [["pattern"], ["pattern", "path", "limit"]],
    ls: [undefined, ["path", "limit"]],
  };

test("the agent brings its tools along, in this order", () => {
  const tools = builtinTools({ cwd: "/", processes });
  expect(tools.map((tool) => tool.name)).toEqual(Object.keys(TAKES));
  for (const tool of tools) {
    expect(tool.description).not.toBe("");
    expect(tool.promptSnippet).not.toBe("");
  }
});

test.each(Object.entries(TAKES))("%s takes what the field's tool of that name takes", (name, [required, all]) => {
  const parameters = toolsOf("/")[name]?.parameters;
  expect(parameters?.required).toEqual(required);
  expect(Object.keys(parameters?.properties ?? {})).toEqual(all);
});

test.each(Object.keys(BUILTIN))("a sample of %s is a call that the tool takes", (name) => {
  const tool = toolsOf("/")[name];
  const { args } = samplePayload("tool.before", { tool: name });
  expect(tool && validateArguments(tool, args)).toEqual(args);
  expect(Object.keys(args).length).toBeGreaterThan(0);
});

test("only tools that change nothing are a sub-agent's sight", () => {
  const names = sightTools({ cwd: "/", processes }).map((tool) => tool.name);
  expect(names).toEqual(["read", "grep", "find", "ls"]);
  expect(sightTools({ cwd: "/", processes }, ["ls", "bash"]).map((tool) => tool.name)).toEqual(["ls"]);
});

test("arguments that models send as text are corrected", () => {
  const { read } = toolsOf("/");
  expect(read && validateArguments(read, { path: "a", limit: "5", offset: null })).toEqual({ path: "a", limit: 5 });
});

test("all tools work in the folder, bash through the transport", async () => {
  const root = makeFolder();
  const { write, edit, read, grep, find, ls, bash } = toolsOf(root, { shellPath: "/bin/bash", tmpDir: root });
  const calls = [
    [write, { path: "d/a.txt", content: "one\n" }],
    [edit, { path: "d/a.txt", edits: [{ oldText: "one", newText: "two" }] }],
    [read, { path: "d/a.txt" }],
    [grep, { pattern: "two" }],
    [find, { pattern: "*.txt" }],
    [ls, {}],
    [bash, { command: "x" }],
  ] as const;
  const texts: string[] = [];
  for (const [tool, params] of calls) texts.push(tool ? await textFrom(tool, params) : "missing");
  expect(texts).toEqual([
    "Successfully wrote to d/a.txt",
    "Successfully replaced 1 block(s) in d/a.txt.",
    "two\n",
    "d/a.txt:1: two",
    "d/a.txt",
    "d/",
    '{"file":"/bin/bash","args":["-c","x"]}',
  ]);
  expect(readFileSync(join(root, "d/a.txt"), "utf8")).toBe("two\n");
});

test("operations of one tool leave the others alone", async () => {
  const root = makeFolder({ a: "here" });
  const { read, ls } = toolsOf(root, { operations: { read: { readFile: async () => Buffer.from("there") } } });
  expect([read && (await textFrom(read, { path: "a" })), ls && (await textFrom(ls, {}))]).toEqual(["there", "a"]);
});
