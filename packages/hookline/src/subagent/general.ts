import type { AgentDefinition } from "./definition.ts";

/** The built-in sub-agent, with all tools of its parent and no instructions of its own. */
export const GENERAL: AgentDefinition = {
  name: "general-purpose",
  description:
    "Searches, reads and changes what it is told to; for work of several steps whose details you do not need.",
  prompt: "",
  source: { path: "general-purpose", tier: "builtin" },
};

/** Returns the definitions that can be started, by name. A person's definition replaces a built-in one. */
export function startable(definitions: readonly AgentDefinition[]): ReadonlyMap<string, AgentDefinition> {
  return new Map([GENERAL, ...definitions].map((definition) => [definition.name, definition]));
}
