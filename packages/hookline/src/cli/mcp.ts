import { EXIT, type Io, jsonText, plain, table } from "@hookline/ground/system";
import type { Arguments } from "../start/args.ts";
import { openHooks } from "./open-hooks.ts";
import { type FoundServer, probeServers } from "./probe-servers.ts";

/** `hookline mcp [list]`: starts the configured MCP servers and lists what they offer. Exits with 1 if one fails. */
export async function listServers(args: Arguments, io: Io): Promise<number> {
  const opened = await openHooks(args, io);
  try {
    const servers = await probeServers(opened, io.env);
    if (args.flags["json"] === true) io.out(jsonText({ servers }));
    else if (servers.length === 0)
      io.out("No MCP server is configured. `.mcp.json` and `~/.hookline/mcp.json` are read.\n");
    else io.out(listText(servers));
    return servers.every(({ state }) => state === "ready" || state === "untrusted") ? EXIT.fine : EXIT.failed;
  } finally {
    await opened.close();
  }
}

/** Lists the servers, each with its tools below it, by the names that rules and hooks use. */
function listText(servers: readonly FoundServer[]): string {
  const [head, ...rows] = table([["server", "state", "has", "from"], ...servers.map(rowOf)]).split("\n");
  const lines = servers.flatMap(({ tools }, at) => [rows[at], ...(tools.length > 0 ? [`  ${tools.join(", ")}`] : [])]);
  return `${[head, ...lines].join("\n")}\n`;
}

function rowOf({ name, state, tools, prompts, problem, path, tier }: FoundServer): string[] {
  const count = (what: string, { length }: readonly string[]): string => `${length} ${what}${length === 1 ? "" : "s"}`;
  const has = [count("tool", tools), ...(prompts.length > 0 ? [count("prompt", prompts)] : [])].join(", ");
  return [name, state, problem ?? has, `${tier} ${path}`].map(plain);
}
