import { join } from "node:path";
import type { Files, Scan } from "@hookline/runtime/dialect";
import { globMatch } from "@hookline/runtime/engine";
import { directoryEntries, isEnabled, isOverride, listedModules, readManifest } from "../../in-process/directory.ts";
import { resolvePath } from "../../in-process/explicit.ts";
import { isPackageSource } from "../../in-process/package-source.ts";
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

/** The packages to be fetched that one file of settings names, each once. */
export interface PackageList {
  readonly tier: "project" | "user";
  /** The file of settings. */
  readonly path: string;
  readonly sources: readonly string[];
}

/** The lists of packages in pi's settings of a place that name one to be fetched; the user's first. */
export function packageLists(scan: Pick<Scan, "cwd" | "home" | "env" | "files">): PackageList[] {
  const list = (tier: PackageList["tier"], folder: string): PackageList => {
    const { path, packages } = readSettings(scan.files, folder);
    return { tier, path, sources: [...new Set(packages.map(({ source }) => source).filter(isPackageSource))] };
  };
  const lists = [list("user", agentDir(scan)), list("project", join(scan.cwd, CONFIG_DIR_NAME))];
  return lists.filter(({ sources }) => sources.length > 0);
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
