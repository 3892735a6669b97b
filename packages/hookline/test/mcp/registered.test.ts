import { textOf } from "@hookline/runtime";
import { expect, test } from "vitest";
import { startBench } from "../agent/bench.ts";
import { FIXTURE } from "./kit.ts";

const SERVER = JSON.stringify({ command: process.execPath, args: [FIXTURE, "good", ""], timeout: 30 });

/** An extension that does something when it is loaded, and something else for a command. */
function extension(loaded: string, command = ""): string {
  return `export default (pi) => {
  pi.registerCommand("now", { handler: async () => { ${command} } });
  ${loaded}
};\n`;
}

const CALL = { toolCalls: [{ id: "c", name: "mcp__tickets__echo", arguments: { text: "hi" } }] };

async function benchWith(files: Readonly<Record<string, string>>, call: object = CALL) {
  const bench = await startBench({
    files: {
      "~/.hookline/settings.json": JSON.stringify({ "mcp.waitMs": 60_000, "mcp.startTimeoutMs": 60_000 }),
      ...files,
    },
    trust: true,
    replies: [call, { text: "one" }, call, { text: "two" }] as never,
  });
  const results = (): string[] =>
    bench.agent.core.store
      .buildSessionContext()
      .messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message.content)] : []));
  return { ...bench, results };
}

test("a server that an extension registers is offered, and its calls pass all guards", async () => {
  const { agent, hooks, results } = await benchWith({
    ".hookline/extensions/tickets.ts": extension(`pi.registerMcpServer("tickets", ${SERVER});`),
  });
  const asked: unknown[] = [];
  hooks.on("tool.before", ({ tool, args }) => {
    asked.push([tool, args]);
    return asked.length === 2 ? { decision: "deny", reason: "not twice" } : undefined;
  });
  await agent.prompt("Do it");
  await agent.prompt("Again");
  expect(asked).toEqual([
    ["mcp__tickets__echo", { text: "hi" }],
    ["mcp__tickets__echo", { text: "hi" }],
  ]);
  expect(results()).toEqual(['echo {"text":"hi"}', expect.stringContaining("not twice")]);
  expect(agent.core.servers?.all.map(({ source: { tier, path } }) => [tier, path.split("/").at(-1)])).toEqual([
    ["project", "tickets.ts"],
  ]);
});

test("a server may be registered and removed while the session runs", async () => {
  const { agent, results } = await benchWith({
    ".hookline/extensions/tickets.ts": extension(
      "",
      `if (pi.getMcpServers().length > 0) pi.unregisterMcpServer("tickets");
       else pi.registerMcpServer("tickets", ${SERVER});`,
    ),
  });
  await agent.prompt("/now");
  await agent.core.servers?.settled("tickets");
  await agent.prompt("Do it");
  await agent.prompt("/now");
  await agent.prompt("Again");
  expect(results()).toEqual(['echo {"text":"hi"}', expect.stringContaining("not found")]);
});

const REGISTERS = { ".hookline/extensions/a.ts": extension(`pi.registerMcpServer("tickets", ${SERVER});`) };

test("a configured server of the same name keeps it", async () => {
  const configured = { command: process.execPath, args: [FIXTURE, "good", "configured"] };
  const { agent } = await benchWith({
    "~/.hookline/mcp.json": JSON.stringify({ mcpServers: { tickets: configured } }),
    ...REGISTERS,
  });
  expect(agent.core.servers?.all.map(({ source }) => source.path.split("/").at(-1))).toEqual(["mcp.json"]);
});

test.each([
  ["neither a command nor a url", '"other", {}', /either a command or a url/],
  ["what a project may not set", '"other", { command: "x", env: { LD_PRELOAD: "/x.so" } }', /LD_PRELOAD/],
  ["an unknown key", '"other", { command: "x", colour: "red" }', /no key "colour"/],
  ["the name of another extension's server", `"tickets", ${SERVER}`, /"tickets" is registered by .*a\.ts/],
])("an extension whose entry has %s does not load, and the run says so", async (_, entry, problem) => {
  const files = { ...REGISTERS, ".hookline/extensions/b.ts": extension(`pi.registerMcpServer(${entry});`) };
  await expect(benchWith(files)).rejects.toThrow(problem);
});

test("fields without an effect are reported, and a server that is switched off does not start", async () => {
  const { agent, diagnostics } = await benchWith({
    ".hookline/extensions/a.ts": extension(`pi.registerMcpServer("tickets", { ...${SERVER}, exposure: "hidden" });
  pi.registerMcpServer("off", { ...${SERVER}, enabled: false });`),
  });
  expect(agent.core.servers?.all.map(({ name }) => name)).toEqual(["tickets"]);
  expect(diagnostics.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('"exposure" of the MCP server "tickets" has no effect here'),
  );
});

test("an extension reads pi's settings: those of a project only if it belongs to the project", async () => {
  const files = {
    "~/.pi/agent/settings.json": JSON.stringify({ theme: "dark", retry: { enabled: true, maxRetries: 2 } }),
    ".pi/settings.json": JSON.stringify({ retry: { maxRetries: 5 } }),
  };
  const reads = extension("", "pi.appendEntry('settings', pi.getSettings());");
  const read = async (path: string): Promise<unknown> => {
    const { agent } = await benchWith({ ...files, [path]: reads });
    await agent.prompt("/now");
    return agent.core.store.getEntries().flatMap((entry) => (entry.type === "custom" ? [entry.data] : []));
  };
  expect(await read("~/.pi/agent/extensions/a.ts")).toEqual([
    { theme: "dark", retry: { enabled: true, maxRetries: 2 } },
  ]);
  expect(await read(".pi/extensions/a.ts")).toEqual([{ theme: "dark", retry: { enabled: true, maxRetries: 5 } }]);
});

/** An agent that has called a tool with structured content, whose results an extension's handlers change. */
async function structured(handlers: string) {
  const { agent } = await benchWith(
    { ".hookline/extensions/a.ts": extension(`pi.registerMcpServer("tickets", ${SERVER}); ${handlers}`) },
    { toolCalls: [{ id: "c", name: "mcp__tickets__data", arguments: {} }] },
  );
  await agent.prompt("Do it");
  return agent;
}

test("an extension sees a result's structured content, which other content drops", async () => {
  const redacts = `pi.on("tool_result", ({ structuredContent }) => {
    pi.appendEntry("seen", structuredContent);
    return { content: [{ type: "text", text: "none" }] };
  });`;
  const agent = await structured(redacts);
  const seen = agent.core.store.getEntries().flatMap((entry) => (entry.type === "custom" ? [entry.data] : []));
  expect(seen).toEqual([{ n: 4 }]);
  const { messages } = agent.core.store.buildSessionContext();
  const results = messages.filter(({ role }) => role === "toolResult");
  expect(results).toMatchObject([{ content: [{ type: "text", text: "none" }] }]);
  expect(results[0]).not.toHaveProperty("details");
});

test("an extension replaces a result's structured content", async () => {
  const redacts = `pi.on("tool_result", () => ({ structuredContent: { n: 5 }, content: [{ type: "text", text: "5" }] }));`;
  const agent = await structured(redacts);
  const { messages } = agent.core.store.buildSessionContext();
  expect(messages.filter(({ role }) => role === "toolResult")).toMatchObject([{ details: { n: 5 } }]);
});

test("a redaction of details holds where another handler echoes the structured content", async () => {
  const redacts = `pi.on("tool_result", (event) => ({ ...event, details: { n: 0 } }));
    pi.on("tool_result", (event) => ({ structuredContent: { n: 4 } }));`;
  const agent = await structured(redacts);
  const { messages } = agent.core.store.buildSessionContext();
  expect(messages.filter(({ role }) => role === "toolResult")).toMatchObject([{ details: { n: 0 } }]);
});

test("after a reload, a server that is registered later starts, and one that fails leaves the earlier one", async () => {
  const { agent } = await benchWith({
    ".hookline/extensions/a.ts": extension(
      "",
      `try { pi.registerMcpServer("tickets", pi.getMcpServers().length > 0 ? {} : ${SERVER}); } catch {}`,
    ),
  });
  await agent.prompt("/reload");
  await agent.prompt("/now");
  expect(agent.core.servers?.all.map(({ name }) => name)).toEqual(["tickets"]);
  await agent.prompt("/now");
  expect(agent.core.servers?.all.map(({ name }) => name)).toEqual(["tickets"]);
});
