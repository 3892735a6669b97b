import type { Scene } from "@hookline/runtime/dialect";
import { callLens } from "@hookline/runtime/dialect";
import type { Contributions } from "@hookline/runtime/engine";
import { argumentSpellings } from "@hookline/runtime/engine";
import { chibiTools } from "../tools.ts";

/** hookline's tools that have another name in chibi's hooks. */
const calls = callLens(argumentSpellings(chibiTools));

/** A tool's name for chibi's hooks; hookline's own if `taken` says that another tool has chibi's name. */
export function chibiName(tool: string, taken: (name: string) => boolean): string {
  const theirs = calls.name(tool);
  return theirs !== tool && taken(theirs) ? tool : theirs;
}

/** The tool that a hook means: one that is offered under this name, else the one that chibi calls so. */
export function ownName(name: string, offered: (name: string) => boolean): string {
  return offered(name) ? name : calls.tool(name);
}

/** A session's tool registry, by the scene that its lenses get. */
const sessions = new WeakMap<Scene, Contributions>();

/** Shows the lenses of a session which names its plugins and modules have taken. */
export function watchTools(scene: Scene, contributions: Contributions): void {
  sessions.set(scene, contributions);
}

/** Whether a plugin or module of this session has registered a tool of this name. */
export function isRegistered(scene: Scene, name: string): boolean {
  return sessions.get(scene)?.all("tool").has(name) ?? false;
}
