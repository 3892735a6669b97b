import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST } from "./bundle.ts";
import { readFile } from "./folder.ts";
import { claimedManifest } from "./manifest.ts";
import { readSeen } from "./seen.ts";
import type { PolicyPlace } from "./take.ts";

/** How many versions of a channel are kept: as many as a worker serves. */
const KEPT = 3;
/**
 * Minimum age of an unneeded bundle before it is removed, in ms. A process that has just read which bundle is in use
 * still has to load it.
 */
const SETTLED_MS = 60 * 60 * 1000;

const DIGEST = /^[0-9a-f]{64}$/;
const DRAFT = /^\.[0-9a-f]{16}-.*\.tmp/;

interface OnDisk {
  readonly digest: string;
  readonly version: number;
  /** The time at which the bundle was installed, in epoch ms. */
  readonly since: number;
}

/**
 * Removes bundles that nobody needs any more, and returns their digests. It keeps the newest three of each channel,
 * those in use, and those in `keep`. A folder that is not a bundle stays. Throws as the file system does.
 */
export function removeOldBundles(
  { bundles, seen }: PolicyPlace,
  { now, keep = [] }: { readonly now: number; readonly keep?: readonly string[] },
): string[] {
  const inForce = Object.values(readSeen(seen).channels).flatMap(({ digest, current }) => [digest, current]);
  const kept = new Set([...inForce, ...keep]);
  const channels = new Map<string, OnDisk[]>();
  for (const name of readdirSync(bundles)) {
    const since = lstatSync(join(bundles, name), { throwIfNoEntry: false })?.mtimeMs ?? now;
    // Removes a draft that a killed process has left.
    if (DRAFT.test(name) && now - since > SETTLED_MS) rmSync(join(bundles, name), { recursive: true, force: true });
    const manifest = DIGEST.test(name) ? manifestIn(join(bundles, name)) : undefined;
    if (manifest === undefined) continue;
    const { fleet, channel, version } = manifest;
    const key = `${fleet}/${channel}`;
    channels.set(key, [...(channels.get(key) ?? []), { digest: name, version, since }]);
  }
  const removed: string[] = [];
  for (const all of channels.values()) {
    all.sort((a, b) => b.version - a.version);
    const least = all.filter(({ since }) => now - since > SETTLED_MS)[KEPT - 1]?.version ?? 0;
    for (const { digest, version } of all) {
      if (version >= least || kept.has(digest)) continue;
      remove(join(bundles, digest), bundles);
      removed.push(digest);
    }
  }
  return removed;
}

function manifestIn(
  place: string,
): { readonly fleet: string; readonly channel: string; readonly version: number } | undefined {
  try {
    return claimedManifest(readFile(place, MANIFEST), place);
  } catch {
    return undefined;
  }
}

/**
 * Renames the folder before it is deleted, so that others never see a part of it. Another process may do the same
 * meanwhile.
 */
function remove(place: string, bundles: string): void {
  const gone = join(bundles, `.${"0".repeat(16)}-${randomBytes(6).toString("hex")}.tmp`);
  try {
    renameSync(place, gone);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return;
    throw thrown;
  }
  rmSync(gone, { recursive: true, force: true });
}
