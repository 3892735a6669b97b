import { join } from "node:path";
import type { Files } from "@hookline/runtime/dialect";
import { globMatch } from "@hookline/runtime/engine";
import { directoryEntries, isEnabled, isOverride, listedModules, readManifest } from "../../in-process/directory.ts";
import { resolvePath } from "../../in-process/explicit.ts";
import {
  type OwnList,
  ownPackageAt,
  ownPackageLists,
  type PackageAt,
  type PackagePlace,
} from "../../in-process/own-packages.ts";
import { fetchedRoot, isPackageSource } from "../../in-process/package-source.ts";
import { agentDir, CONFIG_DIR_NAME } from "./modules.ts";
import { type PackageEntry, readSettings } from "./settings.ts";

/**
 * Where a package in the settings is: a path from the settings' folder, or, for `npm:` and `git:` sources, the place
 * where pi has installed it.
 */
export function packageRoot(source: string, base: string, home: string): string {
  const npm = /^npm:((?:@[^/@]+\/)?[^@]+)/.exec(source)?.[1];
  if (npm !== undefined) return join(base, "npm", "node_modules", npm);
  const git = /^(?:git:)?(?:git@|ssh:\/\/(?:git@)?|https?:\/\/)?([^/:@]+\.[^/:@]+)[/:]([^@]+?)(?:\.git)?(?:@.*)?$/;
  const [, host, path] = (/^(git:|git@|ssh:|https?:)/.test(source) && git.exec(source)) || [];
  if (host !== undefined && path !== undefined) return join(base, "git", host, path);
  return resolvePath(source, base, home);
}

/** The packages that one file of settings names, each once; `sources` are those to be fetched, without paths. */
export interface PackageList extends OwnList {
  /** The sources and paths, as they are written. */
  readonly all: readonly string[];
  /** The program whose settings they are: hookline, or pi. */
  readonly of: "hookline" | "pi";
  /** Where a package of this list is, or would be. */
  at(source: string): PackageAt;
}

/** The lists of packages of a place, in pi's settings and in hookline's own; the person's first. */
export function packageLists(scan: PackagePlace): PackageList[] {
  const ofPi = (tier: "project" | "user", folder: string): PackageList => {
    const { path, packages } = readSettings(scan.files, folder);
    const at = (source: string): PackageAt => packageAt(scan, source, packageRoot(source, folder, scan.home));
    const all = [...new Set(packages.map(({ source }) => source))];
    return { of: "pi", tier, path, store: scan.hooklineHome, all, sources: all.filter(isPackageSource), at };
  };
  const own = ownPackageLists(scan).map((list) => ({
    ...list,
    of: "hookline" as const,
    all: list.sources,
    sources: list.sources.filter(isPackageSource),
    at: (source: string) => ownPackageAt(scan, list, source),
  }));
  const pi = [ofPi("user", agentDir(scan)), ofPi("project", join(scan.cwd, CONFIG_DIR_NAME))];
  const isProject = ({ tier }: PackageList): number => (tier === "project" ? 1 : 0);
  return [...pi, ...own].filter(({ all }) => all.length > 0).sort((a, b) => isProject(a) - isProject(b));
}

/** A package of pi's settings: where pi has installed it, else where hookline has fetched it; it is missed in pi's place. */
export function packageAt(scan: PackagePlace, source: string, installed: string): PackageAt {
  if (scan.files.stat(installed) !== undefined || !isPackageSource(source)) return { root: installed };
  const fetched = fetchedRoot(scan, source);
  return "root" in fetched ? fetched : { ...fetched, folder: installed };
}

/** The extensions of a package: what its manifest lists, else its folder `extensions`; limited by the settings' own list. */
export function packageModules(files: Files, root: string, { extensions: wanted }: PackageEntry): string[] {
  const listed = readManifest(files, root, ["pi"]).extensions;
  const all =
    listed === undefined || listed.length === 0
      ? directoryEntries(files, join(root, "extensions"), ["pi"]).paths
      : listedModules(files, root, listed);
  if (wanted === undefined) return [...all];
  const plain = wanted.filter((entry) => !isOverride(entry));
  return all.filter((path) => {
    const below = path.slice(root.length + 1);
    const named = plain.length === 0 || plain.some((entry) => globMatch(entry, below));
    return wanted.length > 0 && named && isEnabled(path, wanted, root);
  });
}
