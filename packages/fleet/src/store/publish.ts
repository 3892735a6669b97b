import type { Bus } from "../link/bus.ts";
import type { Signer } from "../policy/key.ts";
import {
  claimedManifest,
  type Manifest,
  type SignedManifest,
  sealManifest,
  signedManifest,
} from "../policy/manifest.ts";
import { Refused } from "../policy/refused.ts";
import type { TrustedRoot } from "../policy/root.ts";
import type { PolicySource } from "../policy/source.ts";
import { KEYS, readKey, writeKey } from "./buckets.ts";

/** The highest version number that is accepted. No channel gets so far, so a higher one was published to block it. */
const MOST_VERSION = 1e9;
/** The most version numbers to skip because publishers took them without announcing a version. */
const MOST_PASSED = 100;

/** Destination, root and period of validity of a publication. */
export interface PublishOptions {
  readonly bus: Bus;
  readonly root: TrustedRoot;
  readonly channel: string;
  readonly key: Signer;
  /** The current time, in epoch ms. */
  readonly now: number;
  readonly daysValid: number;
  /** Publishes nothing, and only returns what would be published. */
  readonly isTrial?: boolean;
}

/** The version that was published. */
export interface Published extends SignedManifest {
  /** How many files were uploaded because the fleet did not have them. */
  readonly uploaded: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Publishes a source as the next version of a channel; throws `Refused` for anything that no agent would accept. */
export async function publishSource(source: PolicySource, options: PublishOptions): Promise<Published> {
  const { root, channel } = options;
  for (const [name, own, target] of [
    ["fleet", source.fleet, root.fleet],
    ["channel", source.channel, channel],
  ] as const)
    if (own !== undefined && own !== target)
      throw new Refused(name, `the folder says that it is for the ${name} ${own}, not for ${target}`);
  const last = await lastOf(options);
  const first = draft(source.choices, await freeAfter(last?.version ?? 0, options), options);
  // The version is checked before the upload, so that nothing is uploaded that agents would refuse.
  const { signed } = checked(first, options);
  if (options.isTrial === true) return { ...signed, uploaded: 0 };
  return announce(first, last?.seq ?? 0, await upload(source.blobs, options), options);
}

/** Publishes the content of the second newest version as a new version. */
export async function rollBack(options: PublishOptions): Promise<Published> {
  const { bus, root, channel } = options;
  const last = await lastOf(options);
  for (let version = (last?.version ?? 0) - 1; version > 0; version--) {
    const found = await readKey(bus, root.fleet, { bucket: "policy", key: KEYS.version(channel, version) });
    if (found === undefined || last === undefined) continue;
    const { files, hooks, onStale, rollout, audit } = signedManifest(found.data, { root, channel }).manifest;
    const choices = { files, hooks, onStale, rollout, audit };
    const again = draft(choices, await freeAfter(last.version, options), options);
    if (options.isTrial === true) return { ...checked(again, options).signed, uploaded: 0 };
    return announce(again, last.seq, 0, options);
  }
  throw new Refused("missing", `the channel ${channel} has no version before the newest one`);
}

/** Publishes a root, after all the roots that precede it. */
export async function publishRoot(bus: Bus, root: TrustedRoot, bytes: Uint8Array): Promise<void> {
  for (const key of [KEYS.pin(root.sha256), KEYS.root(root.version)]) {
    const isNew = await writeKey(bus, root.fleet, { bucket: "policy", key, data: bytes, after: 0 });
    const there = isNew ? undefined : await readKey(bus, root.fleet, { bucket: "policy", key });
    if (there !== undefined && !Buffer.from(there.data).equals(bytes))
      throw new Refused("version", `the fleet ${root.fleet} has another root with the version ${root.version}`);
  }
}

/**
 * Returns the newest version of a channel, even if the root does not trust it: machines may have seen it before its key
 * was removed from the root, and accept only higher ones.
 */
async function lastOf({ bus, root, channel }: PublishOptions): Promise<{ seq: number; version: number } | undefined> {
  const stored = await readKey(bus, root.fleet, { bucket: "policy", key: KEYS.channel(channel) });
  if (stored === undefined) return undefined;
  const version = claimedManifest(stored.data, "the last manifest").version;
  if (version > MOST_VERSION)
    throw new Refused("version", `the channel ${channel} has the version ${version}, which cannot have been published`);
  return { seq: stored.seq, version };
}

/**
 * Returns the first version number after `version` that is not taken. Many may be taken: by a publisher that broke off
 * before it announced its version, or if somebody has put an older manifest in place of the newest. Numbers are taken
 * in order, so all numbers after a free one are free.
 */
async function freeAfter(version: number, { bus, root, channel }: PublishOptions): Promise<number> {
  const isTaken = async (one: number): Promise<boolean> =>
    (await readKey(bus, root.fleet, { bucket: "policy", key: KEYS.version(channel, one) })) !== undefined;
  let [taken, step] = [version, 1];
  for (; await isTaken(taken + step); step *= 2) {
    taken += step;
    if (taken > MOST_VERSION) throw new Refused("version", `the channel ${channel} has no free version`);
  }
  while (step > 1) {
    step /= 2;
    if (await isTaken(taken + step)) taken += step;
  }
  return taken + 1;
}

function draft(
  choices: PolicySource["choices"],
  version: number,
  { root, channel, now, daysValid }: PublishOptions,
): Manifest {
  const { fleet } = root;
  return { v: 1, fleet, channel, version, notBefore: now, expires: now + daysValid * DAY_MS, ...choices };
}

/** Signs a manifest and returns its file's bytes; throws `Refused` if the root does not trust the key. */
function checked(
  manifest: Manifest,
  { root, channel, key }: PublishOptions,
): { envelope: Buffer; signed: SignedManifest } {
  const envelope = sealManifest(manifest, [key]);
  return { envelope, signed: signedManifest(envelope, { root, channel }) };
}

async function upload(blobs: PolicySource["blobs"], { bus, root }: PublishOptions): Promise<number> {
  let uploaded = 0;
  for (const [hash, data] of blobs)
    if (await writeKey(bus, root.fleet, { bucket: "blobs", key: hash, data, after: 0 })) uploaded += 1;
  return uploaded;
}

/** Writes the files first, then the version, then the channel, so that everything a reader finds is complete. */
async function announce(first: Manifest, after: number, uploaded: number, options: PublishOptions): Promise<Published> {
  const { bus, root, channel } = options;
  for (let { version } = first; version <= first.version + MOST_PASSED; version++) {
    const { envelope, signed } = checked({ ...first, version }, options);
    const own = { bucket: "policy", key: KEYS.version(channel, version), data: envelope, after: 0 } as const;
    // The number is taken by a publisher that broke off before it announced its version.
    if (!(await writeKey(bus, root.fleet, own))) continue;
    const newest = { bucket: "policy", key: KEYS.channel(channel), data: envelope, after } as const;
    if (await writeKey(bus, root.fleet, newest)) return { ...signed, uploaded };
    throw new Refused(
      "version",
      `somebody else has just published to ${channel}; check that version, and publish again`,
    );
  }
  throw new Refused("version", `the channel ${channel} has no free version after ${first.version}`);
}
