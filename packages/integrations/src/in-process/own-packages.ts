import { join } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Files, Scan } from "@hookline/runtime/dialect";
import { hooklineFolders } from "@hookline/runtime/engine";
import { fieldOf, listedModules, readJson } from "./directory.ts";
import { resolvePath } from "./explicit.ts";
import { fetchedRoot, isPackageSource, type Unfetched } from "./package-source.ts";

/** The folders and variables that determine where hookline keeps its lists of packages. */
export type PackagePlace = Pick<Scan, "cwd" | "home" | "env" | "files" | "hooklineHome">;

/** A list of packages in one of hookline's settings files. */
export interface OwnList {
  readonly tier: Tier;
  /** The path of the settings file. */
  readonly path: string;
  /** The folder whose subfolder `packages` holds the fetched packages: hookline's home, or a project's `.hookline`. */
  readonly store: string;
  readonly sources: readonly string[];
}

/** The folder of a package, or the reason why it cannot be used. */
export type PackageAt = { readonly root: string } | Unfetched;

/** Returns hookline's own lists of packages: the user's, then the project's. Empty lists are left out. */
export function ownPackageLists(scan: PackagePlace): OwnList[] {
  const [own, stray] = hooklineFolders(scan);
  const project = { path: join(scan.cwd, ".hookline"), tier: "project" as const };
  return [own, project, stray].flatMap((folder) => {
    if (folder === undefined) return [];
    const path = join(folder.path, "settings.json");
    const read = readJson(scan.files, path);
    const named = read?.ok === true ? fieldOf(read.value, "packages") : undefined;
    const texts = Array.isArray(named) ? named.filter((entry) => typeof entry === "string") : [];
    const sources = [...new Set(texts)];
    return sources.length === 0 ? [] : [{ tier: folder.tier, path, store: folder.path, sources }];
  });
}

/**
 * Returns the folder of a package in one of hookline's lists. A relative path starts at the project, or for a user's
 * list at the home folder.
 */
export function ownPackageAt(scan: PackagePlace, { tier, store }: OwnList, source: string): PackageAt {
  if (isPackageSource(source)) return fetchedRoot({ files: scan.files, hooklineHome: store }, source);
  return { root: resolvePath(source, tier === "project" ? scan.cwd : scan.home, scan.home) };
}

/** Returns the guard files that a package's manifest lists as `guards` under `hookline`. */
export function packageGuards(files: Files, root: string): string[] {
  const read = readJson(files, join(root, "package.json"));
  const listed = read?.ok === true ? fieldOf(fieldOf(read.value, "hookline"), "guards") : undefined;
  return Array.isArray(listed)
    ? listedModules(
        files,
        root,
        listed.filter((entry) => typeof entry === "string"),
      )
    : [];
}
