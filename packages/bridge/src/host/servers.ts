import { join } from "node:path";
import { isFields, parseJson, withoutComments } from "@hookline/ground";
import { lookAt, systemFiles, textAt } from "@hookline/ground/system";
import { projectAbove } from "@hookline/runtime/engine";
import { type BridgeHost, type HostAt, placesIn } from "./host.ts";

/** The keys under which agents configure MCP servers; VS Code has them one level deeper. */
const KEYS = ["mcpServers", "mcp", "servers"];

/**
 * Returns the names of the MCP servers that a host's own files configure; for a project, in each folder up to its root.
 * A file that cannot be read is ignored.
 */
export function configuredServers(host: Pick<BridgeHost, "servers" | "movedBy">, at: HostAt): readonly string[] {
  const { cwd, home } = at;
  const folders = [cwd, ...projectAbove({ cwd, home, files: systemFiles })];
  const paths = (host.servers ?? []).flatMap((place) =>
    place.startsWith("./") ? folders.map((folder) => join(folder, place)) : placesIn(host, [place], at),
  );
  return [...new Set(paths.flatMap((path) => serversIn(path)))];
}

function serversIn(path: string): readonly string[] {
  if (lookAt(path).kind !== "file") return [];
  try {
    return namesIn(parseJson(withoutTrailingCommas(withoutComments(textAt(path)))));
  } catch {
    return [];
  }
}

function namesIn(value: unknown): readonly string[] {
  if (!isFields(value)) return [];
  return KEYS.flatMap((key) => {
    const servers = value[key];
    if (!isFields(servers)) return [];
    return isFields(servers["servers"]) ? namesIn(servers) : Object.keys(servers);
  });
}

/** Removes the commas before a closing bracket, which some agents accept. */
function withoutTrailingCommas(text: string): string {
  return text.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, "$1");
}
