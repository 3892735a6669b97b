import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const cache = join(import.meta.dirname, "../.cache/peers");

/** The folder of a package that we are compared with; fetched by name and version into a cache if it is missing. */
export function peerFolder(name: string, version: string): string {
  const prefix = join(cache, `${name.replace("/", "+")}@${version}`);
  const folder = join(prefix, "node_modules", name);
  if (existsSync(folder)) return folder;
  mkdirSync(prefix, { recursive: true });
  process.stderr.write(`Fetching ${name}@${version} to compare with …\n`);
  const npm = spawnSync(
    "npm",
    ["install", "--prefix", prefix, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`],
    { encoding: "utf8" },
  );
  if (npm.status !== 0 || !existsSync(folder))
    throw new Error(`${name}@${version} could not be fetched: ${npm.stderr}`);
  return folder;
}

/** Imports a file of a peer, or its main entry. */
export function importPeer<T>(name: string, version: string, file?: string): Promise<T> {
  const folder = peerFolder(name, version);
  const path = file === undefined ? createRequire(join(folder, "package.json")).resolve(name) : join(folder, file);
  return import(pathToFileURL(path).href) as Promise<T>;
}
