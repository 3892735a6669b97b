import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@hookline/ground";
import { readText } from "@hookline/ground/system";
import type { Programs } from "./programs.ts";

/** A manifest, unchecked. */
export type Manifest = Readonly<Record<string, unknown>>;

/**
 * Options that no settings can change. To npm the folder is the project, so that it does not look for settings above
 * it. Peers are pi's own packages, which the agent provides, so they are not installed.
 */
const INSTALL = [
  "install",
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

/** Corepack would choose an npm version by the nearest manifest. */
const ENVIRONMENT = { COREPACK_ENABLE_PROJECT_SPEC: "0", COREPACK_ENABLE_STRICT: "0" };

/** A valid version: a range or a tag in the registry, for this package or another. */
const OF_REGISTRY = /^(?:npm:(?:@[\w.~-]+\/)?[\w.~-]+(?:@[\w.+^~<>=*| -]*)?|[\w.+^~<>=*| -]*)$/;

/** Installs packages from the registry into the empty folder `folder`. Rejects if one of them needs another source. */
export async function installFromNpm(
  wanted: Readonly<Record<string, string>>,
  optional: Readonly<Record<string, string>>,
  folder: string,
  programs: Programs,
): Promise<void> {
  for (const [name, version] of Object.entries({ ...wanted, ...optional })) {
    if (!OF_REGISTRY.test(version))
      throw new Error(`it needs ${name} from ${version}; only dependencies from npm's registry are fetched`);
  }
  const own = { name: "fetched", version: "0.0.0", private: true };
  const manifest = { ...own, dependencies: wanted, optionalDependencies: optional };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest), { mode: 0o600 });
  await programs.run(["npm", ...INSTALL], folder, ENVIRONMENT);
  // It would be the nearest manifest for files without their own.
  rmSync(join(folder, "package.json"));
  const { packages: installed = {} } = readManifest(join(folder, "node_modules", ".package-lock.json"));
  for (const [path, about] of Object.entries(installed as Readonly<Record<string, Manifest>>)) {
    const { resolved, link } = about;
    if (link === true || (typeof resolved === "string" && !/^https?:/.test(resolved)))
      throw new Error(
        `${path} comes from ${resolved ?? "a folder"}; only dependencies from npm's registry are fetched`,
      );
  }
}

/** The texts in a manifest's field, by name; anything else is left out. */
export function dependenciesIn(manifest: Manifest, field: string): Record<string, string> {
  const value = manifest[field];
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** A package's manifest or lock file; empty if there is no readable one. */
export function readManifest(path: string): Manifest {
  try {
    const value: unknown = parseJson(readText(path));
    return typeof value === "object" && value !== null ? (value as Manifest) : {};
  } catch {
    return {};
  }
}
