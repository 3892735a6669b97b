import type { McpServer } from "./server.ts";
import type { NamedTool } from "./servers.ts";

/** Providers accept names of at most this many of these characters. */
const MOST = 64;
const OTHERS = /[^A-Za-z0-9_-]/g;

/**
 * Names the tools of servers `mcp__server__tool`, in the order of the servers and of their lists. If another tool has
 * or had a name, a number is appended; `renamed` holds such tools with the names that they would have had. `owners`
 * keeps the owner of each name across lists: guards judge by names, so a name never passes from one tool to another.
 */
export function toolNames(
  servers: readonly Pick<McpServer, "name" | "tools">[],
  owners: Map<string, string> = new Map(),
): {
  readonly named: ReadonlyMap<string, NamedTool>;
  readonly renamed: ReadonlyMap<string, string>;
} {
  const named = new Map<string, NamedTool>();
  const renamed = new Map<string, string>();
  for (const server of servers) {
    for (const tool of server.tools) {
      const wanted = `mcp__${server.name.replace(OTHERS, "_")}__${tool.name.replace(OTHERS, "_")}`;
      const owner = JSON.stringify([server.name, tool.name]);
      const name = free(wanted, (one) => named.has(one) || (owners.get(one) ?? owner) !== owner);
      owners.set(name, owner);
      if (name !== wanted) renamed.set(name, wanted);
      named.set(name, { name, server: server as McpServer, tool });
    }
  }
  return { named, renamed };
}

function free(wanted: string, isTaken: (name: string) => boolean): string {
  const short = wanted.slice(0, MOST);
  for (let n = 2, name = short; ; n++) {
    if (!isTaken(name)) return name;
    name = `${short.slice(0, MOST - String(n).length - 1)}_${n}`;
  }
}
