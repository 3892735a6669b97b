import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toolName } from "../../packages/hookline/src/mcp/names.ts";
import { atDepth, WITH_TASKS } from "../../packages/hookline/test/support/depth.ts";
import { processesWith, token } from "../../packages/runtime/test/process/programs.ts";
import { assembleIn } from "../agent/assembled.ts";
import { Place } from "../agent/program.ts";
import type { Ill } from "./ills.ts";

const SERVER = fileURLToPath(new URL("server.mjs", import.meta.url));
/** Names of two servers with the same two tools. A provider cannot distinguish the servers' names, nor the tools'. */
const SERVERS = ["a b", "a.b"];
/** A run that has not ended after this many ms hangs. */
const PATIENCE_MS = 30_000;

/** A guard that refuses two of the tools, records what it allows, and is slow for one call. */
const GUARD = `import { appendFileSync } from "node:fs";
export default (pi) => pi.on("tool_call", async ({ toolName, input }) => {
  if (!toolName.startsWith("mcp__")) return undefined;
  if (input.text === "late") await new Promise((resolve) => setTimeout(resolve, 150));
  if (REFUSED.includes(toolName)) return { block: true, reason: "guarded" };
  appendFileSync("GUARDED", JSON.stringify([toolName, input.text]) + "\\n");
  return undefined;
});
`;

/**
 * Returns the tools by the name that the model is offered, in that order: the server, and the server's own name of the
 * tool.
 */
function toolsOf(path: string): ReadonlyMap<string, readonly [server: string, tool: string]> {
  const places = SERVERS.map((name) => ({ name, source: { path, tier: "user" as const } }));
  return new Map(
    places.flatMap((server) =>
      ["pro be", "pro.be"].map((tool) => [toolName(server, tool, places).name, [server.name, tool]] as const),
    ),
  );
}

/** Runs the agent, or a sub-agent at this depth, with two servers that have one fault; returns any wrong outcome. */
export async function illRun(ill: Ill, depth: number): Promise<string | undefined> {
  using place = new Place();
  const mark = token();
  const [called, guarded] = [place.path("CALLED"), place.path("GUARDED")];
  const servers = SERVERS.map((name) => {
    const args = [SERVER, ill.name, name, called, mark];
    return [name, { command: process.execPath, args, timeout: ill.timeoutMs, startTimeout: ill.startTimeoutMs }];
  });
  const tools = toolsOf(
    place.write("~/.hookline/mcp.json", JSON.stringify({ mcpServers: Object.fromEntries(servers) })),
  );
  const calls = [...tools.keys()].flatMap((name) => ["soon", "late"].map((text) => ({ name, arguments: { text } })));
  place.write("~/.hookline/settings.json", JSON.stringify({ "mcp.waitMs": 60_000, ...WITH_TASKS }));
  place.write(
    "~/.pi/agent/extensions/guard.ts",
    GUARD.replace('"GUARDED"', JSON.stringify(guarded)).replace(
      "REFUSED",
      JSON.stringify([...tools.keys()].slice(1, 3)),
    ),
  );
  const replies = atDepth(depth, [{ toolCalls: calls }, { toolCalls: calls.slice(0, 1) }, { text: "done" }]);
  const script = place.write("script.json", JSON.stringify({ replies }));
  const assembled = await assembleIn(place, ["--script", script]);
  const said: string[] = [];
  assembled.agent.listen((event) => {
    const own = event.type === "subagent_event" ? event.event : event;
    if (own.type !== "tool_execution_end" || !own.toolName.startsWith("mcp__")) return;
    said.push(own.result.content.map((block) => ("text" in block ? block.text : "")).join(""));
  });
  const isOver = await withinPatience(assembled.agent.prompt("go"));
  if (!isOver) assembled.agent.abort("person");
  const isClosed = await withinPatience(assembled.close());
  if (!isOver || !isClosed) return "the run did not end";
  const left = processesWith(mark);
  if (left.length > 0) return `${left.length} processes are left`;
  if (existsSync(place.path("ran"))) return "the server ran a tool of the agent";
  if (said.length !== calls.length + 1) return `${said.length} of ${calls.length + 1} calls have a result`;
  const wrong = said.find((text) => text !== "guarded" && !ill.says.test(text));
  if (wrong !== undefined) return `a call came to ${JSON.stringify(wrong.slice(0, 200))}`;
  return unguarded({ called: linesOf(called), guarded: linesOf(guarded), tools }, ill);
}

interface Calls {
  readonly called: readonly string[][];
  readonly guarded: readonly string[][];
  readonly tools: ReadonlyMap<string, readonly [server: string, tool: string]>;
}

/** Checks that the calls which reached a server are those that the guard allowed, each at the tool with that name. */
function unguarded({ called, guarded, tools }: Calls, { reaches }: Ill): string | undefined {
  const allowed = guarded.map(([name = "", text]) => JSON.stringify([...(tools.get(name) ?? [name]), text]));
  for (const call of called) {
    const at = allowed.indexOf(JSON.stringify(call));
    if (at < 0) return `the guard did not let through ${JSON.stringify(call)}`;
    allowed.splice(at, 1);
  }
  return called.length > 0 === reaches ? undefined : `${called.length} calls reached the servers`;
}

function linesOf(path: string): string[][] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as string[]);
}

async function withinPatience(work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), PATIENCE_MS);
  const done = work.then(() => true);
  const isDone = await Promise.race([done, promise]);
  clearTimeout(timer);
  return isDone;
}
