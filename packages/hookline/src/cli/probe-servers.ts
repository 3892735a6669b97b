import { isSamePlace, type Position, place as where } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { readServerFile } from "../mcp/config-file.ts";
import type { McpServer } from "../mcp/server.ts";
import type { Place } from "../start/place.ts";
import type { OpenedHooks } from "./open-hooks.ts";

/** An MCP server as `hookline mcp` lists it: its file, its state, its tools and its prompts. */
export interface FoundServer {
  readonly name: string;
  readonly state: string;
  readonly path: string;
  readonly tier: string;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  /** Why the server is not ready. */
  readonly problem?: string;
}

/**
 * Starts a folder's MCP servers, asks each for its tools and prompts, and ends them again. Servers that may not run are
 * listed without being started.
 */
export async function probeServers(
  { place, session }: Pick<OpenedHooks, "place" | "session">,
  env: Io["env"],
): Promise<readonly FoundServer[]> {
  const kept = session.report.sources.filter(({ kind, state }) => kind === "mcp" && state !== "runs");
  const others = kept.map((source): FoundServer => {
    const { path, tier, state, reason } = source;
    const name = nameAt(source) ?? where(source);
    return { name, state, path, tier, tools: [], prompts: [], ...(reason !== undefined && { problem: reason }) };
  });
  return [...(await started(place, session, env)), ...others];
}

async function started(place: Place, session: OpenedHooks["session"], env: Io["env"]): Promise<readonly FoundServer[]> {
  const [{ serversOf, stateOf }, { outputFolder }] = await Promise.all([
    import("../start/servers.ts"),
    import("../tool/output-files.ts"),
  ]);
  const outputs = outputFolder(place.hooklineHome, false);
  const parts = {
    place,
    env,
    hooks: () => session,
    late: {},
    ui: () => undefined,
    waits: true,
    outputs,
    tell: () => {},
  };
  const { servers, follow } = serversOf(parts);
  follow();
  try {
    const found = await Promise.all(servers.all.map(afterStart));
    servers.offer();
    return found.map(({ server, ...state }) => ({
      name: server.name,
      tools: stateOf(server, servers).tools,
      ...state,
      path: server.source.path,
      tier: server.source.tier,
      prompts: server.prompts.map(({ name }) => `/${server.name}:${name}`),
    }));
  } finally {
    await servers.stop();
  }
}

/** Waits for a server's first start and returns its state at that moment: a failed server is started again later. */
async function afterStart(server: McpServer) {
  await server.settled;
  const { state, problem } = server;
  return { server, state, ...(problem !== undefined && { problem }) };
}

/** Returns the name of the server that a file defines at a position, also if the server may not run yet. */
function nameAt(at: Position): string | undefined {
  const entries = readServerFile({ path: at.path, tier: "project" }, () => {});
  const name = entries.find((entry) => isSamePlace(entry, at))?.name;
  return name === "" ? undefined : name;
}
