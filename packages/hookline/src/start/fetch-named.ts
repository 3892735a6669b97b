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
 * Fetches missing packages that `-e` names on the command line, which counts as approval. Packages that have changed
 * since they were fetched are not fetched again; the load report mentions them.
 */
export async function fetchNamed(
  extensions: readonly string[],
  place: Place,
  env: Io["env"],
  tell: { note(text: string): void; report(diagnostic: Diagnostic): void },
): Promise<void> {
  await fetchSources(absentPackages(extensions.map(withoutPrefix), place), place, env, tell);
}

/** Returns the sources whose packages are not in hookline's home. */
function absentPackages(sources: readonly string[], { hooklineHome }: Pick<Place, "hooklineHome">): string[] {
  return sources.filter((source) => {
    const read = packages.readPackageSource(source);
    return read !== undefined && systemFiles.stat(packages.packageFolder(hooklineHome, read).root) === undefined;
  });
}

/** Finds the packages that settings name but nobody has fetched. A person at a screen may have them fetched. */
export function packageOffer(place: Place, env: Io["env"], tell: Parameters<typeof fetchNamed>[3]): PackageOffer {
  const lists = packages.packageLists({ ...place, env, files: systemFiles });
  const absent = lists.flatMap(({ sources, store, at }) =>
    sources.flatMap((source) => {
      const found = at(source);
      const isAbsent = "problem" in found && absentPackages([source], { hooklineHome: store }).length > 0;
      return isAbsent ? [[found.folder, { source, store }] as const] : [];
    }),
  );
  const stores = new Map(absent.map(([, { source, store }]) => [source, store]));
  return {
    absent: new Map(absent.map(([folder, { source }]) => [folder, source])),
    async fetch(sources) {
      for (const source of sources)
        await fetchSources([source], { ...place, hooklineHome: stores.get(source) ?? place.hooklineHome }, env, tell);
    },
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

/** Removes the prefix of a dialect, such as `pi:`, from a path or source. */
function withoutPrefix(given: string): string {
  const prefixes = Object.values(abouts).flatMap((about) => about.prefixes ?? []);
  const prefix = prefixes.find((one) => given.startsWith(`${one}:`));
  return prefix === undefined ? given : given.slice(prefix.length + 1);
}
