import { createHash } from "node:crypto";
import { TIER_RANK, type Tier } from "@hookline/ground";
import { cleanedName, serverToolName, type ToolIdentity } from "@hookline/runtime/engine";

/** A configured server, as far as names depend on it. */
export interface ServerPlace {
  readonly name: string;
  /** The file that defines it, and its tier. */
  readonly source: { readonly path: string; readonly tier: Tier };
}

/** The names of a tool. All but the offered one depend on its server's file, its server and its own name alone. */
export interface ToolName extends ToolIdentity {
  /** The name by which the model calls it. */
  readonly name: string;
  /** The name that it has if nothing stands in the way. */
  readonly full: string;
}

/** Providers accept names of at most this many of these characters. */
const MOST = 64;

/**
 * Names one tool of a server among all configured servers, whether they run or not. The model gets the full name, or
 * the beginning of it and a digest of file, server and tool: if it is too long, if the tool's name had to be cleaned,
 * or if it could be a name of another server of the same or a higher tier.
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

/** Whether a full name of one server could be another's, and the other one keeps it. */
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

/** One tool and its names. */
export type Named<S extends ListedServer> = ToolName & { readonly server: S; readonly tool: S["tools"][number] };

/**
 * Names the tools of all servers, by the name that is offered. Of two that still come out the same, the higher tier's is
 * offered, then the one with its full name; the others are `left`.
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
    // A server may list a tool twice.
    else if (idOf(other) !== idOf(one)) left.push(one);
  }
  // The model sees them in the order of the servers and of their lists.
  return { named: new Map(all.flatMap((one) => (named.get(one.name) === one ? [[one.name, one]] : []))), left };
}

function byClaim(a: Named<ListedServer>, b: Named<ListedServer>): number {
  const isMarked = ({ name, full }: ToolName): number => Number(name !== full);
  return TIER_RANK[a.tier] - TIER_RANK[b.tier] || isMarked(a) - isMarked(b) || (idOf(a) < idOf(b) ? -1 : 1);
}

function idOf({ server, tool }: Named<ListedServer>): string {
  return JSON.stringify([server.source.path, server.name, tool.name]);
}

/** Whether an earlier version could have offered a tool under a name: it cut names and numbered those that were taken. */
export function isFormerName(name: string, { full }: ToolName): boolean {
  const [number] = /_\d+$/.exec(name) ?? [""];
  return name === `${full.slice(0, MOST - number.length)}${number}`;
}
