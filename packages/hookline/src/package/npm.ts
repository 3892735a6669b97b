import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@hookline/ground";
import { readText } from "@hookline/ground/system";
import type { Programs } from "./programs.ts";

/** The file beside the installed packages in which their lock is kept. */
export const LOCK = "package-lock.json";

/** npm's own record of the packages that it has installed. */
const INSTALLED = "node_modules/.package-lock.json";

/** A manifest whose fields are unchecked. */
export type Manifest = Readonly<Record<string, unknown>>;

/**
 * Options of npm that no settings can override. `--location=project` makes the folder the project, so that npm reads no
 * settings above it. Peers are pi's own packages, which the agent provides, so they are not installed.
 */
const OPTIONS = [
  "--ignore-scripts",
  "--git=git-dependencies-are-not-fetched",
  "--script-shell=scripts-are-not-run",
  "--node-options=",
  "--global=false",
  "--location=project",
  "--workspaces=false",
  "--bin-links=false",
  "--save=false",
  "--audit=false",
  "--fund=false",
  "--update-notifier=false",
  "--omit=dev",
  "--legacy-peer-deps",
  "--loglevel=error",
];

/** Without these variables, Corepack would choose an npm version by the nearest manifest. */
const ENVIRONMENT = { COREPACK_ENABLE_PROJECT_SPEC: "0", COREPACK_ENABLE_STRICT: "0" };

/** Matches a version from the registry: a range, a tag, or another package's version (`npm:NAME@^1`). */
const OF_REGISTRY = /^(?:npm:(?:@[\w.~-]+\/)?[\w.~-]+(?:@[\w.+^~<>=*| -]*)?|[\w.+^~<>=*| -]*)$/;

/**
 * Installs packages from the registry into `folder`. With `isLocked`, installs the versions in that folder's lock file.
 * Rejects if a package comes from another source, or if the lock file lacks one.
 */
export async function installFromNpm(
  wanted: Readonly<Record<string, string>>,
  optional: Readonly<Record<string, string>>,
  folder: string,
  programs: Programs,
  isLocked = false,
): Promise<void> {
  for (const [name, version] of Object.entries({ ...wanted, ...optional })) {
    if (!OF_REGISTRY.test(version))
      throw new Error(`it needs ${name} from ${version}; only dependencies from npm's registry are fetched`);
  }
  const own = { name: "fetched", version: "0.0.0", private: true };
  const manifest = { ...own, dependencies: wanted, optionalDependencies: optional };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest), { mode: 0o600 });
  await programs.run(["npm", isLocked ? "ci" : "install", ...OPTIONS], folder, ENVIRONMENT);
  // Otherwise Node would use this manifest for files of packages that have none of their own.
  rmSync(join(folder, "package.json"));
  for (const [path, { resolved, link }] of Object.entries(lockedIn(join(folder, INSTALLED))))
    if (link === true || (typeof resolved === "string" && !/^https?:/.test(resolved)))
      throw new Error(
        `${path} comes from ${resolved ?? "a folder"}; only dependencies from npm's registry are fetched`,
      );
  // An approval of a file that imports a dependency covers this lock, and so the bytes of the dependencies.
  if (existsSync(join(folder, INSTALLED))) copyFileSync(join(folder, INSTALLED), join(folder, LOCK));
}

/** Installs the dependencies of a package from git, in the versions of its lock file if it has one. */
export async function installLocked(root: string, folder: string, programs: Programs): Promise<void> {
  const manifest = readManifest(join(root, "package.json"));
  const needed = dependenciesIn(manifest, "dependencies");
  const optional = dependenciesIn(manifest, "optionalDependencies");
  if (Object.keys({ ...needed, ...optional }).length === 0) return;
  const lock = ["npm-shrinkwrap.json", LOCK].map((name) => join(root, name)).find((path) => existsSync(path));
  if (lock !== undefined) {
    for (const [path, { integrity, link, dev, inBundle }] of Object.entries(lockedIn(lock)))
      if (path !== "" && dev !== true && inBundle !== true && (link === true || typeof integrity !== "string"))
        throw new Error(`its lock file names ${path} without an integrity; only packages of a registry are fetched`);
    copyFileSync(lock, join(folder, LOCK));
  }
  await installFromNpm(needed, optional, folder, programs, lock !== undefined);
}

/** Returns the registry's digest of an installed package, from npm's record. */
export function integrityOf(folder: string, name: string): string | undefined {
  const { integrity } = lockedIn(join(folder, INSTALLED))[`node_modules/${name}`] ?? {};
  return typeof integrity === "string" ? integrity : undefined;
}

/** Returns the packages of a lock file, by their folders. */
export function lockedIn(path: string): Readonly<Record<string, Manifest>> {
  const { packages } = readManifest(path);
  return typeof packages === "object" && packages !== null ? (packages as Readonly<Record<string, Manifest>>) : {};
}

/** Returns the entries of a manifest's field, such as `dependencies`, whose values are texts. */
function dependenciesIn(manifest: Manifest, field: string): Record<string, string> {
  const value = manifest[field];
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Reads a package's manifest or lock file; empty if there is no readable one. */
export function readManifest(path: string): Manifest {
  try {
    const value: unknown = parseJson(readText(path));
    return typeof value === "object" && value !== null ? (value as Manifest) : {};
  } catch {
    return {};
  }
}
