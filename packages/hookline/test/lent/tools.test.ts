import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lentPlace } from "./lent.ts";

const textOf = (result: any): string => result.content.map((block: any) => block.text).join("");

test("the tools are the agent's own: they read, write, edit, list, search and run in their folder", async () => {
  await using place = lentPlace();
  const tools = await place.use("pi-coding-agent");
  const run = (create: string, params: object): Promise<any> => tools[create](place.folder).execute("t1", params);
  await run("createWriteTool", { path: "a/b.txt", content: "one\ntwo\n" });
  await run("createEditTool", { path: "a/b.txt", edits: [{ oldText: "two", newText: "2" }] });
  expect(readFileSync(join(place.folder, "a/b.txt"), "utf8")).toBe("one\n2\n");
  expect(textOf(await run("createReadTool", { path: "a/b.txt", limit: 1 }))).toContain("one");
  expect(textOf(await run("createLsTool", {}))).toBe("a/");
  expect(textOf(await run("createFindTool", { pattern: "*.txt" }))).toBe("a/b.txt");
  expect(textOf(await run("createGrepTool", { pattern: "^2$" }))).toContain("b.txt:2: 2");
  expect(textOf(await run("createBashTool", { command: "pwd" })).trim()).toBe(place.folder);
});

test("a tool that an extension spreads into its own brings no texts for the system prompt; a definition does, with renderers", async () => {
  await using place = lentPlace();
  const tools = await place.use("pi-coding-agent");
  for (const name of ["Read", "Bash", "Edit", "Write", "Grep", "Find", "Ls"]) {
    const tool = tools[`create${name}Tool`](place.folder);
    const definition = tools[`create${name}ToolDefinition`](place.folder);
    expect(tool).not.toHaveProperty("promptSnippet");
    expect(definition).toMatchObject({ name: tool.name, promptSnippet: expect.any(String) });
    expect(definition.parameters).toEqual(tool.parameters);
    expect([typeof definition.renderCall, typeof definition.renderResult]).toEqual(["function", "function"]);
  }
});

test("operations of an extension replace files and processes", async () => {
  await using place = lentPlace();
  const { createReadTool, createBashTool } = await place.use("pi-coding-agent");
  const asked: string[] = [];
  const read = createReadTool("/far/away", {
    operations: {
      access: async (path: string) => void asked.push(`access ${path}`),
      readFile: async (path: string) => {
        asked.push(`read ${path}`);
        return Buffer.from("from afar");
      },
    },
  });
  expect(textOf(await read.execute("t1", { path: "x.txt" }))).toContain("from afar");
  expect(asked).toEqual(["access /far/away/x.txt", "read /far/away/x.txt"]);
  const bash = createBashTool("/far/away", {
    operations: {
      exec: async (command: string, cwd: string, { onData }: any) => {
        onData(Buffer.from(`${cwd}: ${command}`));
        return { exitCode: 0 };
      },
    },
  });
  expect(textOf(await bash.execute("t2", { command: "ls" }))).toBe("/far/away: ls");
});

test("a spawn hook changes command, folder and variables", async () => {
  await using place = lentPlace();
  const { createBashTool } = await place.use("pi-coding-agent");
  mkdirSync(join(place.folder, "inner"));
  const bash = createBashTool(place.folder, {
    spawnHook: ({ command, cwd, env }: any) => ({
      command: `echo begin; ${command}`,
      cwd: `${cwd}/inner`,
      env: { ...env, SPAWNED: "1" },
    }),
  });
  const text = textOf(await bash.execute("t1", { command: "echo $SPAWNED; pwd" }));
  expect(text).toBe(`begin\n1\n${place.folder}/inner\n`);
});

test("local operations run a command and give its exit code", async () => {
  await using place = lentPlace();
  const { createLocalBashOperations } = await place.use("pi-coding-agent");
  let out = "";
  const ended = await createLocalBashOperations().exec("echo hi; exit 3", place.folder, {
    onData: (data: Buffer) => void (out += data.toString()),
  });
  expect([out, ended.exitCode]).toEqual(["hi\n", 3]);
});

test("coding tools and read-only tools are sets of the same", async () => {
  await using place = lentPlace();
  const { createCodingTools, createReadOnlyTools } = await place.use("pi-coding-agent");
  const names = (tools: any[]): string[] => tools.map(({ name }) => name);
  expect(names(createCodingTools(place.folder))).toEqual(["read", "bash", "edit", "write"]);
  expect(names(createReadOnlyTools(place.folder))).toEqual(["read", "grep", "find", "ls"]);
});

test("changes of one file queue with those of the agent's own edit tool", async () => {
  await using place = lentPlace();
  const { withFileMutationQueue, createEditTool } = await place.use("pi-coding-agent");
  const path = join(place.folder, "f.txt");
  writeFileSync(path, "old");
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = withFileMutationQueue(path, async () => {
    await promise;
    writeFileSync(path, "middle");
  });
  const second = createEditTool(place.folder).execute("t1", {
    path: "f.txt",
    edits: [{ oldText: "middle", newText: "new" }],
  });
  resolve();
  await Promise.all([first, second]);
  expect(readFileSync(path, "utf8")).toBe("new");
});
