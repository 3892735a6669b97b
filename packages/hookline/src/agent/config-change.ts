import { createHash } from "node:crypto";
import { basename } from "node:path";
import { HooklineError, type LoadReport, type Payload } from "@hookline/runtime";
import { readRegularSync } from "../file/regular-file.ts";
import { ask } from "../hook/ask.ts";
import type { Core } from "../turn/core.ts";

type Source = LoadReport["sources"][number];

/** The files that define what was loaded, with their bytes as they were then. */
export type Definitions = ReadonlyMap<string, { readonly source: Source; readonly digest: string | undefined }>;

/** Reads the files of a load report; nothing where no hook listens that hears of changes. */
export function definitionsOf(
  { hooks }: Pick<Core, "hooks">,
  { sources }: Pick<LoadReport, "sources">,
): Definitions | undefined {
  if (!hooks.has("config.change")) return undefined;
  return new Map(sources.map((source) => [source.path, { source, digest: digestOf(source.path) }]));
}

/**
 * Asks the hooks of before about each file that has changed, is new or is gone. Throws where one of them keeps a change
 * out: then everything stays as it was. What an administrator has changed is told and cannot be kept out.
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
    kept.push(`- ${path}: ${answer.reason ?? "a hook keeps this change out"}`);
  }
  if (kept.length === 0) return;
  throw new HooklineError("NOT_ADMITTED", {
    what: "The hooks were not loaded anew, and those of before go on working",
    problem: kept.join("\n"),
    remedy: "Take the change back, or change the hook that keeps it out, then start hookline anew.",
  });
}

function kindOf(source: Source | undefined): Payload<"config.change">["source"] {
  if (source?.tier === "managed") return "policy_settings";
  if (source?.kind === "skill") return "skills";
  if (source?.tier !== "project") return "user_settings";
  return basename(source.path) === "settings.local.json" ? "local_settings" : "project_settings";
}

function digestOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readRegularSync(path)).digest("hex");
  } catch {
    // A folder, a pipe, or a file that is gone; what has no bytes before and after has not changed.
    return undefined;
  }
}
