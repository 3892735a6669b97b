import type { ServerRegistrar } from "@hookline/runtime/engine";
import { readServer } from "./definition.ts";
import type { ServerSource } from "./server.ts";

/** Turns a server that a module has registered into a source; throws if its entry is not valid. */
export function registeredServer(name: string, entry: object, from: ServerRegistrar): ServerSource {
  const { path, line, tier, process, http } = from;
  const reading = readServer(name, entry, tier === "project");
  if ("problem" in reading) throw new Error(`MCP server "${name}": ${reading.problem}. ${reading.remedy}`);
  const [unknown] = reading.unknown;
  if (unknown !== undefined) throw new Error(`MCP server "${name}": there is no key "${unknown.slice(0, 40)}"`);
  return { definition: reading.definition, path, line, tier, processes: process, http };
}
