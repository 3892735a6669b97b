import { dirname } from "node:path";
import { diagnose, messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { systemFiles } from "@hookline/ground/system";
import { packages } from "@hookline/integrations";
import { abouts } from "@hookline/integrations/abouts";
import type { Diagnostic } from "@hookline/runtime";
import { fetchPackage } from "../package/fetch.ts";
import type { PackageOffer } from "./admit.ts";
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
  await fetchSources([...absentPackages(extensions.map(withoutPrefix), place).values()], place, env, tell);
}

/** The packages that are not there, by the folders where they would be. */
function absentPackages(sources: readonly string[], { hooklineHome }: Place): Map<string, string> {
  return new Map(
    sources.flatMap((source) => {
      const read = packages.readPackageSource(source);
      const root = read && packages.packageFolder(hooklineHome, read).root;
      return root === undefined || systemFiles.stat(root) !== undefined ? [] : [[root, source] as const];
    }),
  );
}

/** The packages that pi's settings name and nobody has fetched, for a person at a screen who may have them fetched. */
export function packageOffer(place: Place, env: Io["env"], tell: Parameters<typeof fetchNamed>[3]): PackageOffer {
  const { cwd, home } = place;
  const lists = packages.packageLists({ cwd, home, env, files: systemFiles });
  return {
    // A copy in pi's own folder would be used, so that is where a package is missed.
    absent: new Map(
      lists.flatMap(({ path, sources }) =>
        [...absentPackages(sources, place).values()].map(
          (source) => [packages.packageRoot(source, dirname(path), home), source] as const,
        ),
      ),
    ),
    fetch: (sources) => fetchSources(sources, place, env, tell),
  };
}

async function fetchSources(
  sources: readonly string[],
  place: Place,
  env: Io["env"],
  tell: Parameters<typeof fetchNamed>[3],
): Promise<void> {
  for (const source of sources) {
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
