import { systemFiles } from "@hookline/runtime";
import type { PackagedTexts } from "../loop/resources.ts";
import type { Arguments } from "./args.ts";
import type { Io } from "./io.ts";
import type { Place } from "./place.ts";

/** Finds the skills, templates and themes of pi's packages; nothing where pi's extensions are not loaded either. */
export async function packagedTextsOf(
  { cwd, home, hooklineHome, dialects }: Place,
  { extensions }: Arguments,
  { env }: Io,
): Promise<{ packagedTexts?: () => PackagedTexts }> {
  if (!dialects.some(({ id }) => id === "pi")) return {};
  const { packages } = await import("@hookline/runtime/dialects");
  const where = { cwd, home, hooklineHome, env, files: systemFiles, explicit: extensions };
  return { packagedTexts: () => packages.packageTexts(where) };
}
