import type { AgentDefinition } from "./definition.ts";

/** The sub-agent that needs no file: it has all that its parent has, and no instructions of its own. */
export const GENERAL: AgentDefinition = {
  name: "general-purpose",
  description:
    "Searches, reads and changes what it is told to; for work of several steps whose details you do not need.",
  prompt: "",
  source: { path: "general-purpose", tier: "builtin" },
};

/** The definitions that can be started, by name; a person's definition replaces a built-in one. */
export function startable(definitions: readonly AgentDefinition[]): ReadonlyMap<string, AgentDefinition> {
  return new Map([GENERAL, ...definitions].map((definition) => [definition.name, definition]));
}
