import { join } from "node:path";
import type { Io } from "@hookline/ground/system";
import { systemFiles } from "@hookline/ground/system";
import type { PackagedTexts } from "../agent/resources.ts";
import type { Arguments } from "./args.ts";
import type { Place } from "./place.ts";

/** Finds skills, templates and themes in pi's packages; `{}` if pi's extensions are not loaded. */
export async function packagedTextsOf(
  { cwd, home, hooklineHome, dialects }: Place,
  { extensions }: Arguments,
  { env }: Io,
): Promise<{ packagedTexts?: () => PackagedTexts }> {
  if (!dialects.some(({ id }) => id === "pi")) return {};
  const { packages } = await import("@hookline/integrations");
  const where = { cwd, home, hooklineHome, env, files: systemFiles, explicit: extensions };
  return { packagedTexts: () => packages.packageTexts(where) };
}

/** Returns pi's folder, normally `~/.pi/agent`. `$PI_CODING_AGENT_DIR` only counts if pi's hooks are loaded. */
export async function piHomeOf({ cwd, home, dialects }: Place, { env }: Io): Promise<string> {
  if (!dialects.some(({ id }) => id === "pi")) return join(home, ".pi/agent");
  const { packages } = await import("@hookline/integrations");
  return packages.agentDir({ cwd, env, files: systemFiles, home });
}
