import { join } from "node:path";

/** A package that is named by where it comes from. */
export type PackageSource =
  | { readonly kind: "npm"; readonly name: string; readonly version: string }
  | { readonly kind: "git"; readonly url: string; readonly ref: string | undefined; readonly place: string };

/** Where a package is kept once it has been fetched. */
export interface PackageFolder {
  /** The folder that is hookline's own; beside the package it holds what the package needs, and its record. */
  readonly prefix: string;
  readonly root: string;
}

const NPM = /^npm:((?:@[\w.-]+\/)?[\w.-]+)(?:@([^/\s]+))?$/;
const GIT =
  /^(?:git:)?(?:(github):|((?:ssh|https?|git):\/\/(?:[\w.-]+@)?|git@))?([\w.-]+(?::\d+)?)?[/:]?([\w.~-]+(?:\/[\w.~-]+)+?)(?:\.git)?(?:@([\w./-]+))?$/;

/** Whether a text names a package to be fetched rather than a path. */
export function isPackageSource(text: string): boolean {
  return /^(npm:|git:|git@|ssh:|https?:|github:)/.test(text);
}

/** Reads a package's source; undefined for texts that name none, or one that nobody could fetch. */
export function readPackageSource(text: string): PackageSource | undefined {
  const npm = NPM.exec(text);
  if (npm !== null) return { kind: "npm", name: npm[1] as string, version: npm[2] ?? "latest" };
  if (!isPackageSource(text) || text.startsWith("npm:")) return undefined;
  const [, github, scheme, named = "", path = "", ref] = GIT.exec(text) ?? [];
  const host = github === undefined ? named : "github.com";
  if (host === "" || path === "" || path.split("/").includes("..")) return undefined;
  const url = scheme === "git@" ? `git@${host}:${path}.git` : `${scheme ?? "https://"}${host}/${path}`;
  return { kind: "git", url, ref, place: join(host.replace(":", "_"), path) };
}

/** The folder of a package below hookline's home. */
export function packageFolder(hooklineHome: string, source: PackageSource): PackageFolder {
  const packages = join(hooklineHome, "packages");
  if (source.kind === "npm") {
    const prefix = join(packages, "npm", `${source.name.replace("/", "+")}@${source.version}`);
    return { prefix, root: join(prefix, "node_modules", source.name) };
  }
  const prefix = join(packages, "git", `${source.place}@${(source.ref ?? "HEAD").replaceAll("/", "+")}`);
  return { prefix, root: join(prefix, "package") };
}
