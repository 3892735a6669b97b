import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { AgentDefinition } from "../../src/subagent/definition.ts";
import { Desk } from "../authors/desk.ts";
import { runAgent } from "../support/running.ts";

function emptyDesk(): Desk {
  const desk = new Desk();
  onTestFinished(() => desk.remove());
  return desk;
}

const agent = (name: string, ...fields: readonly string[]): string =>
  ["---", `name: ${name}`, `description: Does ${name}.`, ...fields, "---", `You do ${name}.`, ""].join("\n");

/** The agents that can be started in a desk's project. */
async function usable(desk: Desk, args: readonly string[] = [], env?: Record<string, string>) {
  const { assembled } = await runAgent(desk, { args, ...(env !== undefined && { env }) });
  const { agents } = assembled.agent.core.resources;
  await assembled.close();
  return agents;
}

const names = (agents: readonly AgentDefinition[]): string[] => agents.map(({ name }) => name);

/** The one agent of a file. */
async function only(path: string, text: string): Promise<AgentDefinition | undefined> {
  const desk = emptyDesk();
  desk.write(path, text);
  return (await usable(desk))[0];
}

test("agents of the person are found in each folder, those of a project once they are approved", async () => {
  const desk = emptyDesk();
  desk.write("~/.hookline/agents/own.md", agent("own"));
  desk.write("~/.claude/agents/team/deep/claude.md", agent("claude"));
  desk.write("~/.omp/agent/agents/omp.md", agent("omp"));
  desk.write("~/.omp/agent/agents/deep/not-read.md", agent("deep"));
  desk.write("~/.claude/agents/README.md", "How we write agents.\n");
  for (const folder of [".hookline", ".claude", ".omp"]) desk.write(`${folder}/agents/a.md`, agent(`project${folder}`));
  const mine = ["own", "claude", "omp"];
  expect(names(await usable(desk))).toEqual(mine);
  const all = [...mine, "project.hookline", "project.claude", "project.omp"];
  expect(names(await usable(desk, ["--trust-project"]))).toEqual(all);
  const { out } = await desk.hookline(["trust", "approve", "--yes"]);
  expect(out).toMatch(/agent, not approved yet\nthe model may start a sub-agent that follows it/);
  expect(out).toContain("  You do project.claude.");
  expect(names(await usable(desk))).toEqual(all);
  expect(names(await usable(desk, ["--no-hooks"]))).toEqual(all);
  desk.write(".claude/agents/a.md", agent("other"));
  expect(names(await usable(desk))).toEqual(all.filter((name) => name !== "project.claude"));
  await desk.hookline(["trust", "revoke", ".omp"]);
  expect(names(await usable(desk))).toEqual([...mine, "project.hookline"]);
});

test("a pending agent is reported, listed, and part of the lock", async () => {
  const desk = emptyDesk();
  desk.write(".claude/agents/reviewer.md", agent("reviewer"));
  desk.write("script.yaml", "replies:\n  - { text: hello, repeat: true }\n");
  const run = ["--script", desk.path("script.yaml"), "-p", "hi"];
  expect((await desk.hookline(run)).err).toBe("1 agent waits for approval: `hookline hooks` says why.\n");
  const listed = await desk.hookline(["hooks", "--json"]);
  expect(listed.json.sources.map(({ kind, state }: any) => [kind, state])).toEqual([["agent", "untrusted"]]);
  await desk.hookline(["trust", "approve", "--yes", "--lock"]);
  expect(JSON.parse(desk.read("hookline.lock")).hooks).toMatchObject([{ kind: "agent" }]);
  expect((await desk.hookline(["--frozen", ...run])).code).toBe(0);
  desk.write(".claude/agents/reviewer.md", agent("reviewer", "tools: Bash"));
  const changed = await desk.hookline(["--frozen", ...run]);
  expect([changed.code, changed.err.includes("reviewer.md")]).toEqual([1, true]);
});

test("a project cannot take a name from the person", async () => {
  const desk = emptyDesk();
  desk.write("~/.claude/agents/reviewer.md", agent("reviewer"));
  desk.write(".hookline/agents/mine.md", agent("reviewer", "tools: Bash"));
  desk.write("~/.hookline/agents/twice.md", agent("twice"));
  desk.write("~/.claude/agents/twice.md", agent("twice"));
  const [twice, reviewer, ...others] = await usable(desk, ["--trust-project"]);
  expect([twice?.source.path, reviewer?.source.tier, others]).toEqual([
    desk.path("~/.hookline/agents/twice.md"),
    "user",
    [],
  ]);
});

test("a moved folder of Claude Code is the person's, a relative one the project's", async () => {
  const desk = emptyDesk();
  desk.write("~/.claude/agents/usual.md", agent("usual"));
  desk.write("~/moved/agents/moved.md", agent("moved"));
  desk.write("moved/agents/here.md", agent("here"));
  expect(names(await usable(desk, [], { CLAUDE_CONFIG_DIR: desk.path("~/moved") }))).toEqual(["moved"]);
  expect(names(await usable(desk, [], { CLAUDE_CONFIG_DIR: "moved" }))).toEqual(["usual"]);
  expect(names(await usable(desk, ["--trust-project"], { CLAUDE_CONFIG_DIR: "moved" }))).toEqual(["usual", "here"]);
});

test("tools have each program's names", async () => {
  const claude = "~/.claude/agents/a.md";
  const list = async (path: string, ...fields: string[]) => {
    const { tools, withoutTools } = (await only(path, agent("a", ...fields))) ?? {};
    return [tools, withoutTools];
  };
  expect(await list(claude)).toEqual([undefined, undefined]);
  expect(await list(claude, "tools: Read, Grep, Glob, mcp__memory__read")).toEqual([
    ["read", "grep", "find", "mcp__memory__read"],
    undefined,
  ]);
  expect(await list(claude, "tools: [Bash, bash]", "disallowedTools: Write, Edit(src/**)")).toEqual([
    ["bash"],
    ["write", "edit"],
  ]);
  expect(await list(claude, "tools: []")).toEqual([[], undefined]);
  expect(await list(claude, "tools: '*'")).toEqual([undefined, undefined]);
  expect(await list(claude, "tools: Read, Agent(worker, reader), Bash(git *)")).toEqual([["read"], undefined]);
  expect(await list("~/.omp/agent/agents/a.md", "tools: read, glob")).toEqual([["read", "find"], ["task"]]);
  expect(await list("~/.omp/agent/agents/a.md", "spawns: '*'")).toEqual([undefined, undefined]);
  expect(await list("~/.omp/agent/agents/a.md", "tools: [task, read]")).toEqual([["task", "read"], undefined]);
});

test("a model is kept as written, and inherit means none", async () => {
  const model = async (line: string) => (await only("~/.claude/agents/a.md", agent("a", line)))?.model;
  expect(await model("model: sonnet")).toBe("sonnet");
  expect(await model("model: inherit")).toBeUndefined();
  expect(await model("model: [one/a, two/b]")).toBe("one/a,two/b");
});

test("a broken definition is named with its line by hooks list and doctor, and its neighbours are used", async () => {
  const desk = emptyDesk();
  const broken: Readonly<Record<string, readonly [text: string, line: number]>> = {
    yaml: ["---\nname: a\ndescription: [\n---\nBody.\n", 3],
    nameless: ["---\ndescription: d\nmodel: inherit\n---\nBody.\n", 1],
    described: ["---\nname: a\ndescription: ''\n---\nBody.\n", 3],
    listed: ["---\nname: a\ndescription: d\ntools: { Read: true }\n---\nBody.\n", 4],
    model: ["---\nname: a\ndescription: d\nmodel: 4\n---\nBody.\n", 4],
    bare: ["Just text.\n", 1],
  };
  desk.write("~/.hookline/agents/bare.md", broken["bare"]?.[0] ?? "");
  const alone = await desk.hookline(["doctor"]);
  expect([alone.code, alone.out]).toEqual([
    1,
    expect.stringMatching(/BROKEN {2}hooks .*agents\/bare\.md:1: an agent needs a name/),
  ]);
  for (const [name, [text]] of Object.entries(broken)) {
    desk.write(`.claude/agents/${name}.md`, text);
    desk.write(`~/.hookline/agents/${name}.md`, text);
  }
  desk.write(".claude/agents/good.md", agent("good"));
  expect(names(await usable(desk, ["--trust-project"]))).toEqual(["good"]);
  const listed = await desk.hookline(["hooks"]);
  const doctor = await desk.hookline(["doctor"]);
  expect(doctor.code).toBe(1);
  for (const folder of [".claude/agents", ".hookline/agents"]) expect(doctor.out).toContain(`${folder}/bare.md`);
  for (const [name, [, line]] of Object.entries(broken)) {
    expect(listed.out).toContain(` .claude/agents/${name}.md:${line}: `);
    expect(listed.out).toContain(` ~/.hookline/agents/${name}.md:${line}: `);
  }
});

test("fields without effect here are reported, and so are likely misspellings", async () => {
  const desk = emptyDesk();
  desk.write("~/.claude/agents/a.md", agent("a", "maxTurns: 3", "tool: Read", "color: red", "tools: Bash(git *)"));
  const { json } = await desk.hookline(["hooks", "--json"]);
  expect(json.diagnostics.map(({ message }: any) => message.replace(/^.*\/a\.md:/, ""))).toEqual([
    "4: maxTurns has no effect here",
    '7: "Bash(git *)" limits a tool, which hookline cannot do, so the agent does not get the tool',
  ]);
  desk.write("~/.claude/agents/a.md", agent("a", "tool: Read"));
  const [one] = (await desk.hookline(["hooks", "--json"])).json.diagnostics;
  expect([one.message, one.hint]).toEqual([
    expect.stringMatching(/:4: an agent has no field "tool"/),
    'Did you mean "tools"?',
  ]);
});

test("odd files where agents are searched end nothing", async () => {
  const odd: Readonly<Record<string, (path: string) => void>> = {
    "a named pipe": (path) => void execFileSync("mkfifo", [path]),
    "a link that leads nowhere": (path) => symlinkSync("nowhere", path),
    "a link to itself": (path) => symlinkSync(path, path),
    "a link to a device": (path) => symlinkSync("/dev/zero", path),
    "a link to the whole disk": (path) => symlinkSync("/", path),
  };
  for (const [kind, make] of Object.entries(odd)) {
    const desk = emptyDesk();
    desk.write("~/.hookline/agents/good.md", agent("good"));
    desk.write("~/.claude/agents/fine.md", agent("fine"));
    make(desk.path("~/.hookline/agents/odd.md"));
    mkdirSync(desk.path(".claude"), { recursive: true });
    make(desk.path(".claude/agents"));
    const listed = (await desk.hookline(["hooks", "--json"])).json.diagnostics.map(({ message }: any) => message);
    expect([kind, new Set(listed.filter((text: string) => /odd\.md|\/agents/.test(text))).size]).toEqual([kind, 2]);
    expect([kind, names(await usable(desk))]).toEqual([
      kind,
      kind === "a link to the whole disk" ? ["fine"] : ["good", "fine"],
    ]);
  }
});
