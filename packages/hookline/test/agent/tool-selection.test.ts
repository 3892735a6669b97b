import { expect, test } from "vitest";
import { forkSession } from "../../src/agent/branch.ts";
import { navigateTree } from "../../src/agent/navigate.ts";
import { reloadHooks, switchSession } from "../../src/agent/switch.ts";
import { type Bench, startBench } from "./bench.ts";

const MODULE = `
const tool = (name) => ({
  name, label: name, description: name, parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [{ type: "text", text: "ran " + name }], details: {} }),
});
export default function (pi) {
  pi.registerTool(tool("early"));
  pi.on("session_start", ({ reason }) => pi.appendEntry("seen", { reason, tools: pi.getActiveTools() }));
  pi.registerCommand("plan", { handler: async (names) => pi.setActiveTools(names.split(",")) });
  pi.registerCommand("late", { handler: async () => pi.registerTool(tool("late")) });
}
`;

const USUAL = ["read", "bash", "edit", "write", "grep", "find", "ls", "early"];

function start(args: readonly string[] = []): Promise<Bench> {
  return startBench({ replies: () => ({ text: "ok" }), files: { ".pi/extensions/tools.ts": MODULE }, args });
}

/** The tools of each request. */
const offered = ({ server }: Bench): string[] =>
  server.requests.map(({ body }) => (body.tools ?? []).map((tool: any) => tool.function.name).join(","));

const entries = ({ agent }: Bench, role: string): string[] =>
  agent.core.store
    .getEntries()
    .flatMap((entry) => (entry.type === "message" && entry.message.role === role ? [entry.id] : []));

test("a new session starts with the default tools, a fork and a resumed session with those that were selected", async () => {
  const bench = await start();
  const { agent } = bench;
  const begun = (): unknown =>
    agent.core.store.getEntries().findLast((entry) => entry.type === "custom" && entry.customType === "seen");
  await agent.prompt("one");
  await agent.prompt("/plan read");
  await agent.prompt("two");
  const path = agent.core.store.getSessionFile() as string;
  await switchSession(agent, { reason: "new", open: () => agent.openSession({ kind: "new" }) });
  expect(begun()).toMatchObject({ data: { reason: "new", tools: USUAL } });
  await agent.prompt("three");
  await agent.prompt("/plan bash");
  await switchSession(agent, { reason: "resume", target: path, open: () => agent.openSession({ kind: "file", path }) });
  expect(begun()).toMatchObject({ data: { reason: "resume", tools: ["read"] } });
  await agent.prompt("four");
  await agent.prompt("/plan bash");
  await forkSession(agent, entries(bench, "user")[1] as string);
  expect(begun()).toMatchObject({ data: { reason: "fork", tools: ["read"] } });
  await agent.prompt("five");
  const usual = USUAL.join(",");
  expect(offered(bench)).toEqual([usual, "read", usual, "read", "read"]);
});

test("a move in the tree restores the tools of its branch, even after a resume", async () => {
  const bench = await start();
  const { agent } = bench;
  await agent.prompt("one");
  await agent.prompt("/plan read");
  await agent.prompt("two");
  await agent.prompt("/plan read,bash");
  await agent.prompt("three");
  const [first, second, third] = entries(bench, "user") as [string, string, string];
  await navigateTree(agent, second);
  expect(agent.activeTools()).toEqual(["read"]);
  await navigateTree(agent, first);
  expect(agent.activeTools()).toEqual(USUAL);
  await navigateTree(agent, third);
  expect(agent.activeTools()).toEqual(["read", "bash"]);
  const path = agent.core.store.getSessionFile() as string;
  await bench.close();

  const again = await bench.again(["--session", path]);
  expect(again.agent.activeTools()).toEqual(["read", "bash"]);
  await navigateTree(again.agent, entries({ ...bench, ...again }, "assistant")[1] as string);
  expect(again.agent.activeTools()).toEqual(["read"]);
});

test("a session in which no hook selects tools has no entry about them", async () => {
  const { agent } = await start();
  await agent.prompt("one");
  expect(agent.core.store.getEntries().filter(({ type }) => type === "custom")).toHaveLength(1);
});

test("a tool that is registered later is added to the selected ones, and works", async () => {
  const bench = await start();
  const { agent } = bench;
  await agent.prompt("/plan read,bash");
  await agent.prompt("/late");
  expect(agent.activeTools()).toEqual(["read", "bash", "late"]);
  await agent.prompt("one");
  await agent.prompt("/plan read");
  await agent.prompt("two");
  await navigateTree(agent, entries(bench, "user")[1] as string);
  await navigateTree(agent, entries(bench, "assistant")[0] as string);
  expect(offered(bench)).toEqual(["read,bash,late", "read"]);
  expect(agent.activeTools()).toEqual(["read", "bash", "late"]);
});

test("a reload keeps the selection, and adds what modules register", async () => {
  const { agent } = await start();
  await agent.prompt("/plan read");
  expect(agent.activeTools()).toEqual(["read"]);
  await reloadHooks(agent);
  expect(agent.activeTools()).toEqual(["read", "early"]);
});

test("--tools limits what hooks may select and what is added later", async () => {
  const { agent } = await start(["--tools", "read,early,late"]);
  expect(agent.activeTools()).toEqual(["read", "early"]);
  await agent.prompt("/plan read,bash");
  expect(agent.activeTools()).toEqual(["read"]);
  await agent.prompt("/late");
  expect(agent.activeTools()).toEqual(["read", "late"]);
});
