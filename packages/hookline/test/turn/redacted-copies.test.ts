import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startBench } from "../agent/bench.ts";
import { FIXTURE } from "../mcp/kit.ts";

const SECRET = "TOPSECRET";

/** Every file below a folder that holds a text. */
function holding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path, "latin1").includes(text));
}

const redactor = (given: string): string =>
  `export default (pi) => pi.on("tool_result", () => ({ content: [{ type: "text", text: "[hid]" }]${given} }));\n`;

/** Runs one call under a redactor; returns what the person's home and the events hold of the secret. */
async function run(name: string, args: Readonly<Record<string, unknown>>, given = "") {
  const server = { command: process.execPath, args: [FIXTURE, "good"], env: { SECRET } };
  const bench = await startBench({
    replies: [{ toolCalls: [{ id: "c1", name, arguments: args }] }, { text: "done" }],
    files: {
      "~/.hookline/mcp.json": JSON.stringify({ mcpServers: { one: server } }),
      "~/.pi/agent/extensions/redact.ts": redactor(given),
    },
    settings: { "mcp.waitMs": 60_000 },
  });
  await bench.agent.prompt("go");
  const ended = bench.events.filter(({ type }) => type === "tool_execution_end");
  await bench.close();
  const definition = join(bench.home, ".hookline/mcp.json");
  return {
    told: JSON.stringify(ended),
    files: [...holding(bench.home, SECRET), ...holding(bench.project, SECRET)].filter((path) => path !== definition),
  };
}

describe("what a redactor has changed leaves no other copy", () => {
  test("in the details of an MCP result", async () => {
    const { told, files } = await run("mcp__one__secret", {});
    expect(told).toContain("[hid]");
    expect(told).not.toContain(SECRET);
    expect(files).toEqual([]);
  });

  test("but for details that the hook itself gives", async () => {
    const { told } = await run("mcp__one__secret", {}, `, details: { kept: true }`);
    expect(told).toContain('"details":{"kept":true}');
  });

  test.each([
    ["mcp__one__long", {}],
    ["bash", { command: `for n in $(seq 3000); do echo ${SECRET}; done` }],
  ])("in the file of the whole output of %s", async (name, args) => {
    const { told, files } = await run(name, args);
    expect(told).toContain("[hid]");
    expect(told).not.toContain("fullOutputPath");
    expect(files.filter((path) => path.includes("outputs"))).toEqual([]);
  });
});
