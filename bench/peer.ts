import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const cache = join(import.meta.dirname, "../.cache/peers");

/** The pause between two looks for a package that another process fetches, and the longest wait, in ms. */
const LOOK_MS = 100;
const PATIENCE_MS = 180_000;

/**
 * Returns the folder of a package with which we are compared; fetches it by name and version into a cache if it is
 * missing. Several processes may ask at once: one fetches, and the folder appears when it is complete.
 */
export function peerFolder(name: string, version: string): string {
  const prefix = join(cache, `${name.replace("/", "+")}@${version}`);
  const folder = join(prefix, "node_modules", name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const lock = `${prefix}.lock`;
  for (let waitedMs = 0; !isTaken(lock); waitedMs += LOOK_MS) {
    if (waitedMs > PATIENCE_MS) throw new Error(`${lock} is held; remove it if nobody fetches`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
  try {
    if (!existsSync(folder)) fetchPeer(`${name}@${version}`, prefix);
    return folder;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

function fetchPeer(what: string, prefix: string): void {
  process.stderr.write(`Fetching ${what} to compare with …\n`);
  const unfinished = `${prefix}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  const args = ["install", "--prefix", unfinished, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", what];
  const npm = spawnSync("npm", args, { encoding: "utf8" });
  if (npm.status !== 0 || !existsSync(join(unfinished, "node_modules")))
    throw new Error(`${what} could not be fetched: ${npm.stderr}`);
  rmSync(prefix, { recursive: true, force: true });
  renameSync(unfinished, prefix);
}

/** Imports a file of a peer, or its main entry. */
export function importPeer<T>(name: string, version: string, file?: string): Promise<T> {
  const folder = peerFolder(name, version);
  const path = file === undefined ? createRequire(join(folder, "package.json")).resolve(name) : join(folder, file);
  return import(pathToFileURL(path).href) as Promise<T>;
}
