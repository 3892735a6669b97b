import { sep } from "node:path";
import type { Payload } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import type { Core } from "../turn/core.ts";

/** Tells listening hooks which instruction files and rules have been read for the model. */
export async function tellInstructions(core: Core, hooklineHome: string): Promise<void> {
  if (!core.hooks.has("instructions.loaded")) return;
  const { contextFiles, rules } = core.resources;
  const read: Payload<"instructions.loaded">[] = [
    ...contextFiles.map(({ path }) => ({ path, tier: tierOf(path, hooklineHome), reason: "session_start" as const })),
    ...rules.map(({ rule: { path, tier, globs } }) => ({
      path,
      tier: tier === "project" ? ("project" as const) : ("user" as const),
      reason: "rule" as const,
      ...(globs !== undefined && globs.length > 0 && { globs: [...globs] }),
    })),
  ];
  for (const about of read) await ask(core, "instructions.loaded", about);
}

function tierOf(path: string, hooklineHome: string): "user" | "project" {
  return path.startsWith(hooklineHome + sep) ? "user" : "project";
}
