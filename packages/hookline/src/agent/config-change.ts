import { createHash } from "node:crypto";
import { basename } from "node:path";
import { readRegularSync } from "@hookline/ground/system";
import { HooklineError, type Payload } from "@hookline/runtime";
import type { LoadReport } from "@hookline/runtime/session";
import { ask } from "../hook/ask.ts";
import type { Core } from "../turn/core.ts";

type LoadedSource = LoadReport["sources"][number];

/** The files that the hooks were loaded from, with a digest of each file's bytes at that time. */
export type Definitions = ReadonlyMap<string, { readonly source: LoadedSource; readonly digest: string | undefined }>;

/** Digests the files in a load report; undefined if no hook listens for changes. */
export function definitionsOf(
  { hooks }: Pick<Core, "hooks">,
  { sources }: Pick<LoadReport, "sources">,
): Definitions | undefined {
  if (!hooks.has("config.change")) return undefined;
  return new Map(sources.map((source) => [source.path, { source, digest: digestOf(source.path) }]));
}

/**
 * Asks the loaded hooks about each file that has changed, appeared or disappeared since they were loaded. Throws if a
 * hook rejects a change; then nothing is reloaded. Hooks see an administrator's changes too but cannot reject them.
 */
export async function askAboutChanges(
  core: Core,
  before: Definitions | undefined,
  fresh: Pick<LoadReport, "sources">,
): Promise<void> {
  const after = definitionsOf(core, fresh);
  if (before === undefined || after === undefined) return;
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  const changed = paths.filter((path) => before.get(path)?.digest !== after.get(path)?.digest);
  const kept: string[] = [];
  for (const path of changed) {
    const source = kindOf((after.get(path) ?? before.get(path))?.source);
    const { answer } = await ask(core, "config.change", { source, path });
    if (!answer.cancel || source === "policy_settings") continue;
    kept.push(`- ${path}: ${answer.reason ?? "a hook refused this change"}`);
  }
  if (kept.length === 0) return;
  throw new HooklineError("NOT_ADMITTED", {
    what: "The hooks were not reloaded; the earlier ones stay in force",
    problem: kept.join("\n"),
    remedy: "Undo the change, or change the hook that refuses it, then restart hookline.",
  });
}

function kindOf(source: LoadedSource | undefined): Payload<"config.change">["source"] {
  if (source?.tier === "managed") return "policy_settings";
  if (source?.kind === "skill") return "skills";
  if (source?.tier !== "project") return "user_settings";
  return basename(source.path) === "settings.local.json" ? "local_settings" : "project_settings";
}

function digestOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readRegularSync(path)).digest("hex");
  } catch {
    // A folder, a pipe or a missing file has no digest; a change from one of them to another is not noticed.
    return undefined;
  }
}
