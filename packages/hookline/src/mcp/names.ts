import { createHash } from "node:crypto";
import { TIER_RANK, type Tier } from "@hookline/ground";
import { cleanedName, serverToolName, type ToolIdentity } from "@hookline/runtime/engine";

/** The fields of a configured server that determine the names of its tools. */
export interface ServerPlace {
  readonly name: string;
  /** The file that defines the server, and its tier. */
  readonly source: { readonly path: string; readonly tier: Tier };
}

/** The names of a tool. All but `name` depend only on the server's file, the server's name and the tool's own name. */
export interface ToolName extends ToolIdentity {
  /** The name by which the model calls the tool. */
  readonly name: string;
  /** The name that the model would use if it were valid and unambiguous. */
  readonly full: string;
}

/** The longest tool name that providers accept, in characters. */
const MOST = 64;

/**
 * Names one tool of a server. `configured` are all servers, whether they run or not. The model normally uses the full
 * name. It uses the beginning of that name and a digest in three cases: the full name is too long, the tool's own name
 * has invalid characters, or another server of the same or a higher tier could have a tool with the same full name.
 */
export function toolName(server: ServerPlace, tool: string, configured: readonly ServerPlace[]): ToolName {
  const full = serverToolName(server.name, tool);
  const { path, tier } = server.source;
  const digest = createHash("sha256")
    .update(JSON.stringify([path, server.name, tool]))
    .digest("hex")
    .slice(0, 6);
  const marked = `${full.slice(0, MOST - digest.length - 1)}_${digest}`;
  const isPlain =
    full.length <= MOST && cleanedName(tool) === tool && !configured.some((other) => hasClaim(other, server, full));
  const name = isPlain ? full : marked;
  return { name, full, names: [...new Set([full, marked, `mcp__${server.name}__${tool}`])], tier };
}

/** Whether `server` must give up the tool name `full`: `other` may have such a tool too, and takes precedence. */
function hasClaim(other: ServerPlace, server: ServerPlace, full: string): boolean {
  if (other.source.path === server.source.path && other.name === server.name) return false;
  if (!full.startsWith(serverToolName(other.name, ""))) return false;
  const order = TIER_RANK[other.source.tier] - TIER_RANK[server.source.tier];
  return order === 0 ? cleanedName(server.name) !== server.name || cleanedName(other.name) === other.name : order < 0;
}

/** A server with the tools that it has listed. */
export interface ListedServer extends ServerPlace {
  readonly tools: readonly { readonly name: string }[];
}

/** A tool with its server and its names. */
export type Named<S extends ListedServer> = ToolName & { readonly server: S; readonly tool: S["tools"][number] };

/**
 * Returns the tools of all servers by the names that the model uses. If two tools have the same name, the one of the
 * higher tier gets it; in the same tier, the one that is called by its full name. The others are returned in `left` and
 * are not offered.
 */
export function toolNames<S extends ListedServer>(
  servers: readonly S[],
): { readonly named: ReadonlyMap<string, Named<S>>; readonly left: readonly Named<S>[] } {
  const all = servers.flatMap((server) =>
    server.tools.map((tool): Named<S> => ({ ...toolName(server, tool.name, servers), server, tool })),
  );
  const named = new Map<string, Named<S>>();
  const left: Named<S>[] = [];
  for (const one of [...all].sort(byClaim)) {
    const other = named.get(one.name);
    if (other === undefined) named.set(one.name, one);
    // Not an error if both are the same tool: a server may list a tool twice.
    else if (idOf(other) !== idOf(one)) left.push(one);
  }
  // The model sees the tools in the order of the servers and of their lists.
  return { named: new Map(all.flatMap((one) => (named.get(one.name) === one ? [[one.name, one]] : []))), left };
}

function byClaim(a: Named<ListedServer>, b: Named<ListedServer>): number {
  const isMarked = ({ name, full }: ToolName): number => Number(name !== full);
  return TIER_RANK[a.tier] - TIER_RANK[b.tier] || isMarked(a) - isMarked(b) || (idOf(a) < idOf(b) ? -1 : 1);
}

function idOf({ server, tool }: Named<ListedServer>): string {
  return JSON.stringify([server.source.path, server.name, tool.name]);
}

/** Whether hookline formerly gave a tool this name. It cut the full name, and added `_2`, `_3`, … to equal ones. */
export function isFormerName(name: string, { full }: ToolName): boolean {
  const [number] = /_\d+$/.exec(name) ?? [""];
  return name === `${full.slice(0, MOST - number.length)}${number}`;
}
