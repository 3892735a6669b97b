import type { Scene } from "@hookline/runtime/dialect";
import { callLens } from "@hookline/runtime/dialect";
import type { Contributions } from "@hookline/runtime/engine";
import { argumentSpellings } from "@hookline/runtime/engine";
import { chibiTools } from "../tools.ts";

/** Translates between hookline's and chibi's names of tools. */
const calls = callLens(argumentSpellings(chibiTools));

/** Returns chibi's name for a tool, or hookline's own if `taken` says that another tool already has chibi's name. */
export function chibiName(tool: string, taken: (name: string) => boolean): string {
  const theirs = calls.name(tool);
  return theirs !== tool && taken(theirs) ? tool : theirs;
}

/** Returns the tool that a hook means. It is an offered tool of this name, or else the tool with this name in chibi. */
export function ownName(name: string, offered: (name: string) => boolean): string {
  return offered(name) ? name : calls.tool(name);
}

/** The tools registered in each session, by the session's scene. */
const sessions = new WeakMap<Scene, Contributions>();

/** Remembers where a session's plugins and modules register their tools, so that `isRegistered` can look there. */
export function watchTools(scene: Scene, contributions: Contributions): void {
  sessions.set(scene, contributions);
}

/** Whether a plugin or module of this session has registered a tool of this name. */
export function isRegistered(scene: Scene, name: string): boolean {
  return sessions.get(scene)?.all("tool").has(name) ?? false;
}
