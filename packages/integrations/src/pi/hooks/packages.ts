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
 * Returns the folder of a package in pi's settings. `npm:` and `git:` sources are where pi installs them; any other
 * source is a path relative to the settings' folder.
 */
export function packageRoot(source: string, base: string, home: string): string {
  const npm = /^npm:((?:@[^/@]+\/)?[^@]+)/.exec(source)?.[1];
  if (npm !== undefined) return join(base, "npm", "node_modules", npm);
  const git = /^(?:git:)?(?:git@|ssh:\/\/(?:git@)?|https?:\/\/)?([^/:@]+\.[^/:@]+)[/:]([^@]+?)(?:\.git)?(?:@.*)?$/;
  const [, host, path] = (/^(git:|git@|ssh:|https?:)/.test(source) && git.exec(source)) || [];
  if (host !== undefined && path !== undefined) return join(base, "git", host, path);
  return resolvePath(source, base, home);
}

/** The packages that one settings file names, each once. `sources` leaves out paths, which need not be fetched. */
export interface PackageList extends OwnList {
  /** All sources and paths, as written. */
  readonly all: readonly string[];
  /** Whether the settings file is hookline's or pi's. */
  readonly of: "hookline" | "pi";
  /** Returns the folder of a package in this list, or the reason why it cannot be used. */
  at(source: string): PackageAt;
}

/** Returns the lists of packages in pi's and in hookline's own settings, the user's before the project's. */
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

/**
 * Returns the folder of a package in pi's settings: where pi has installed it, or else where hookline has fetched it.
 * If it is missing, `folder` is where pi would install it.
 */
export function packageAt(scan: PackagePlace, source: string, installed: string): PackageAt {
  if (scan.files.stat(installed) !== undefined || !isPackageSource(source)) return { root: installed };
  const fetched = fetchedRoot(scan, source);
  return "root" in fetched ? fetched : { ...fetched, folder: installed };
}

/**
 * Returns the extensions of a package: what its manifest lists, or else those in its folder `extensions`. The list in
 * the settings entry limits them.
 */
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
