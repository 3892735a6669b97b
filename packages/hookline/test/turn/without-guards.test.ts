import { existsSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "@hookline/runtime";
import { expect, test } from "vitest";
import { type Bench, startBench } from "../agent/bench.ts";

const settings = { refuseWithoutGuards: true };
const WRITES = { toolCalls: [{ name: "write", arguments: { path: "a", content: "x" } }] };
const replies = [WRITES, { text: "one" }, WRITES, { text: "two" }, WRITES, { text: "three" }];

/** Asks for a call; returns whether it ran, and what the model was told. */
async function writes({ agent, project }: Bench): Promise<{ readonly ran: boolean; readonly told: string }> {
  await agent.prompt("Write");
  const result = agent.messages().findLast(({ role }) => role === "toolResult");
  const told = result?.role === "toolResult" ? textOf(result.content) : "";
  return { ran: existsSync(join(project, "a")), told };
}

test("without a guard every call is refused; with one it is judged; without it it is refused again", async () => {
  const bench = await startBench({ settings, replies });
  expect(await writes(bench)).toEqual({
    ran: false,
    told: "a guard must run, but does not: none is loaded, and `refuseWithoutGuards` is set. `hookline hooks` shows more.",
  });
  const off = bench.hooks.on("tool.before", () => ({ decision: "deny", reason: "judged" }));
  expect(await writes(bench)).toEqual({ ran: false, told: "judged" });
  off();
  expect((await writes(bench)).told).toContain("refuseWithoutGuards");
});

test("a guard that agrees lets a call run, also after a reload", async () => {
  const bench = await startBench({ settings, replies });
  bench.hooks.on("tool.before", () => undefined);
  await bench.agent.prompt("/reload");
  expect(await writes(bench)).toMatchObject({ ran: true });
});

test("neither a hook that only watches, nor one in shadow, nor one that is not approved is a guard", async () => {
  const guard = `export default (pi) => pi.on("tool_call", () => undefined);\n`;
  const bench = await startBench({
    settings: { ...settings, shadow: ["~/.pi/agent/extensions/shadow.ts"] },
    files: { "~/.pi/agent/extensions/shadow.ts": guard, ".pi/extensions/guard.ts": guard },
    trust: false,
    replies,
  });
  bench.hooks.on("tool.after", () => undefined);
  bench.hooks.on("tool.start", () => undefined);
  expect((await writes(bench)).told).toContain("refuseWithoutGuards");
});

test("a guard in a dialect's format is one", async () => {
  const bench = await startBench({
    settings,
    files: { ".pi/extensions/guard.ts": `export default (pi) => pi.on("tool_call", () => undefined);\n` },
    replies,
  });
  expect(await writes(bench)).toMatchObject({ ran: true });
});

test("commands of the person are refused too, and a project's own settings change nothing", async () => {
  const bench = await startBench({ settings, replies: [], mode: "tui" });
  await bench.agent.prompt("!touch a");
  expect(existsSync(join(bench.project, "a"))).toBe(false);
  const open = await startBench({
    files: { ".hookline/settings.json": JSON.stringify(settings) },
    replies,
  });
  expect(await writes(open)).toMatchObject({ ran: true });
});
