import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FIXTURE } from "../mcp/kit.ts";
import { Workplace } from "../support/cli.ts";
import { taskCall, WITH_TASKS } from "../support/depth.ts";

/** Sub-agents in the built program, as a user starts it, with a scripted model. */
let place: Workplace;

beforeEach(() => {
  place = new Workplace();
  place.write("~/.hookline/settings.json", JSON.stringify(WITH_TASKS));
});

afterEach(() => place.remove());

const script = (replies: readonly object[]): string => place.write("s.json", JSON.stringify({ replies }));
const bash = (command: string) => ({ name: "bash", arguments: { command } });
const write = (path: string) => ({ name: "write", arguments: { path, content: "x" } });

/** Refuses `Bash`, `Write` and one tool of a server, by a line of shell. */
const GUARD = `pre_tool_execution:
  - command: echo '{"action":"skip","retry_feedback":"not in this project"}'
    filter: { tool_matcher: "Bash|Write|mcp__one__echo" }
`;
const REFUSED = "Tool call skipped by hook: not in this project";

test("one guard refuses a server's tool, a sub-agent's bash and a sub-agent's sub-agent's write, in print and in JSON mode", async () => {
  place.write(".jcli/hooks.yaml", GUARD);
  const calls = join(place.top, "calls");
  const server = { command: process.execPath, args: [FIXTURE], env: { CALLS: calls } };
  place.write("~/.hookline/mcp.json", JSON.stringify({ mcpServers: { one: server } }));
  const usage = { input: 10, output: 5 };
  const echo = { name: "mcp__one__echo", arguments: { text: "x" } };
  const notify = { name: "mcp__one__notify", arguments: {} };
  const path = script([
    { toolCalls: [echo, taskCall()], usage },
    { toolCalls: [bash("touch ran"), echo, notify, taskCall()], usage },
    { toolCalls: [write("written")], usage },
    { text: "deep", usage },
    { text: "middle", usage },
    { text: "top", usage },
  ]);
  const nothingRan = (runs: number): void => {
    expect(["ran", "written"].map((name) => existsSync(join(place.project, name)))).toEqual([false, false]);
    // The server is there, and runs what the guard lets a sub-agent call, and nothing else.
    expect(readFileSync(calls, "utf8")).toBe("notify\n".repeat(runs));
  };
  const args = ["--trust-project", "--script", path];
  const printed = await place.run(["-p", "--verbose", ...args, "go"]);
  expect([printed.code, printed.out]).toEqual([0, "top\n"]);
  // Six requests, four of them by sub-agents.
  expect(printed.err).toContain("Tokens: 60 in, 30 out");
  nothingRan(1);
  const { code, out } = await place.run(["--mode", "json", ...args, "go"]);
  expect(code).toBe(0);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [outer, inner] = lines.flatMap(({ type, agent }) => (type === "subagent_start" ? [agent] : []));
  const results = lines.flatMap((line) => {
    const event = line.event ?? line;
    const by = line.agentId === outer.id ? 1 : line.agentId === inner.id ? 2 : 0;
    if (event.type !== "tool_execution_end") return [];
    return [
      { by, id: Number(/\d+$/.exec(event.toolCallId)?.[0]), told: [event.toolName, event.result.content[0].text] },
    ];
  });
  // Calls that run side by side end in any order.
  const byAgent = (agent: number): unknown[] =>
    results
      .filter(({ by }) => by === agent)
      .sort((one, other) => one.id - other.id)
      .map(({ told }) => told);
  expect([0, 1, 2].map(byAgent)).toEqual([
    [
      ["mcp__one__echo", REFUSED],
      ["task", "middle"],
    ],
    [
      ["bash", REFUSED],
      ["mcp__one__echo", REFUSED],
      ["mcp__one__notify", "told"],
      ["task", "deep"],
    ],
    [["write", REFUSED]],
  ]);
  nothingRan(2);
  // Events that clients of earlier versions read are only those of the main agent.
  const own = lines.filter(({ type }) => !type.startsWith("subagent_"));
  expect(own.filter(({ type }) => type === "agent_start")).toHaveLength(1);
  expect(own.filter(({ type, message }) => type === "message_end" && message.role === "assistant")).toHaveLength(2);
  expect(JSON.stringify(lines)).not.toContain('"partial"');
});

test("a signal ends every sub-agent and what they run", async () => {
  const path = script([
    { toolCalls: [taskCall(), taskCall()] },
    { toolCalls: [bash("echo $$ >> pids; exec sleep 300")] },
    { toolCalls: [bash("echo $$ >> pids; exec sleep 300")] },
  ]);
  const pids = (): number[] =>
    existsSync(join(place.project, "pids"))
      ? readFileSync(join(place.project, "pids"), "utf8").trim().split("\n").map(Number)
      : [];
  const running = place.start(["-p", "--script", path, "go"]);
  await vi.waitUntil(() => pids().length === 2, { timeout: 300_000 });
  running.kill("SIGTERM");
  expect(await running.code).toBe(143);
  await vi.waitUntil(() => pids().every((pid) => !isAlive(pid)), { timeout: 300_000 });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
