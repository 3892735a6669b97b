import type { Diagnostic } from "@hookline/runtime";
import { packages } from "@hookline/runtime/dialects";
import { abouts, diagnose, messageOf, systemFiles } from "@hookline/runtime/internal";
import type { Io } from "../io/io.ts";
import { fetchPackage } from "../package/fetch.ts";
import type { Place } from "./place.ts";

/**
 * Fetches missing packages that the command line names with `-e`: naming one counts as approval. Packages that have
 * changed since they were fetched are left to the load report.
 */
export async function fetchNamed(
  extensions: readonly string[],
  place: Place,
  env: Io["env"],
  tell: { note(text: string): void; report(diagnostic: Diagnostic): void },
): Promise<void> {
  const { hooklineHome } = place;
  for (const given of extensions) {
    const source = withoutPrefix(given);
    const read = packages.readPackageSource(source);
    if (read === undefined) continue;
    if (systemFiles.stat(packages.packageFolder(hooklineHome, read).root) !== undefined) continue;
    try {
      const { version } = await fetchPackage(source, { ...place, env });
      tell.note(`Fetched ${source} (${version}); none of its scripts was run.`);
    } catch (thrown) {
      const details = { path: source, problem: `it could not be fetched: ${messageOf(thrown)}` };
      tell.report(diagnose("UNSUPPORTED", { ...details, remedy: "Check its name and the network, or give a path." }));
    }
  }
}

/** A path or source without a leading dialect. */
function withoutPrefix(given: string): string {
  const prefixes = Object.values(abouts).flatMap((about) => about.prefixes ?? []);
  const prefix = prefixes.find((one) => given.startsWith(`${one}:`));
  return prefix === undefined ? given : given.slice(prefix.length + 1);
}
