import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseJson } from "@hookline/ground";
import { readPrivate, writePrivate } from "@hookline/ground/system";
import type { ListedServer, ServerPlace } from "./names.ts";

/** Returns the file that records which tools a server listed at its last start. */
function fileOf(hooklineHome: string, { name, source }: ServerPlace): string {
  const key = createHash("sha256")
    .update(JSON.stringify([source.path, name]))
    .digest("hex")
    .slice(0, 16);
  return join(hooklineHome, "cache/servers", `${key}.json`);
}

/** Stores the names of the tools that a server has listed. Ignores failures, because nothing depends on the file. */
export function keepListed(hooklineHome: string, server: ListedServer): void {
  const tools = server.tools.map(({ name }) => name);
  const before = lastListed(hooklineHome, server);
  if (before !== undefined && before.join("\0") === tools.join("\0")) return;
  try {
    writePrivate(fileOf(hooklineHome, server), JSON.stringify({ server: server.name, tools }), "best-effort");
  } catch {
    // `hookline doctor` reports a home folder that cannot be written.
  }
}

/** Returns the tools that a server listed at its last start; undefined if that is not recorded. */
export function lastListed(hooklineHome: string, server: ServerPlace): readonly string[] | undefined {
  const read = readPrivate(fileOf(hooklineHome, server));
  if (read.state !== "read") return undefined;
  try {
    const { tools } = parseJson(read.text) as { readonly tools?: unknown };
    return Array.isArray(tools) && tools.every((name) => typeof name === "string") ? tools : undefined;
  } catch {
    return undefined;
  }
}
