import * as v from "valibot";
import { exclusively, readPrivate, writePrivate } from "../kit.ts";
import type { SignedManifest } from "./manifest.ts";
import { nameSchema } from "./names.ts";
import { Refused } from "./refused.ts";
import type { TrustedRoot } from "./root.ts";
import { countSchema, hashSchema, readStrict, recordSchema } from "./strict.ts";

const MOST_BYTES = 256 * 1024;

/** The newest root and manifests that this machine has seen, so that it never takes older ones. */
export interface Seen {
  readonly v: 1;
  readonly fleet: string;
  readonly root: { readonly version: number; readonly sha256: string };
  readonly channels: Readonly<Record<string, SeenChannel>>;
}

/** The newest versions of a channel that a machine has seen. */
export interface SeenChannel {
  /** The version of the newest manifest that the root's keys have signed, even if its bundle could not be installed. */
  readonly version: number;
  readonly digest: string;
  /** The digest of the bundle that is in use. */
  readonly current?: string;
}

const schema: v.GenericSchema<unknown, Seen> = v.strictObject({
  v: v.literal(1),
  fleet: nameSchema(),
  root: v.strictObject({ version: countSchema(), sha256: hashSchema() }),
  channels: recordSchema(
    nameSchema(),
    v.strictObject({ version: countSchema(), digest: hashSchema(), current: v.exactOptional(hashSchema()) }),
  ),
});

/** Makes the first record of a machine that has just joined with this root. */
export function firstSeen({ fleet, version, sha256 }: TrustedRoot): Seen {
  return { v: 1, fleet, root: { version, sha256 }, channels: {} };
}

/** Reads the record of seen versions; throws `Refused` if there is none, or if it is invalid. */
export function readSeen(path: string): Seen {
  const read = readPrivate(path);
  if (read.state === "absent") throw new Refused("missing", `${path} is missing; join the fleet again`);
  if (read.state === "refused") throw new Refused("field", `${path}: ${read.problem}. ${read.remedy}`);
  return readStrict(Buffer.from(read.text), schema, { what: path, maxBytes: MOST_BYTES });
}

/** Writes the record of seen versions. */
export function writeSeen(path: string, seen: Seen): void {
  writePrivate(path, `${JSON.stringify(seen)}\n`);
}

/** Changes the record of seen versions under a lock. If `change` throws, nothing is changed. */
export function raiseSeen(path: string, change: (seen: Seen) => Seen): Seen {
  return exclusively(path, () => {
    const before = readSeen(path);
    const after = change(before);
    if (after !== before) writeSeen(path, after);
    return after;
  });
}

/** Adds a root to the record; throws `Refused` for an older one, or another one with the same version. */
export function withRoot(seen: Seen, { fleet, version, sha256 }: TrustedRoot): Seen {
  if (fleet !== seen.fleet) throw new Refused("fleet", `the root belongs to the fleet ${fleet}, not to ${seen.fleet}`);
  const found = { version, name: sha256 };
  if (!isNewer(found, { version: seen.root.version, name: seen.root.sha256 }, "the root")) return seen;
  return { ...seen, root: { version, sha256 } };
}

/**
 * Adds a manifest to the record; throws `Refused` for one older than its channel's newest, or another one with that
 * version.
 */
export function withManifest(seen: Seen, { manifest, digest }: SignedManifest): Seen {
  const { fleet, channel, version } = manifest;
  if (fleet !== seen.fleet)
    throw new Refused("fleet", `the manifest belongs to the fleet ${fleet}, not to ${seen.fleet}`);
  const last = seenOf(seen, channel);
  const before = last && { version: last.version, name: last.digest };
  if (!isNewer({ version, name: digest }, before, `the manifest of ${channel}`)) return seen;
  return { ...seen, channels: { ...seen.channels, [channel]: { ...last, version, digest } } };
}

/** Records the bundle in use; throws `Refused` unless it is the newest of its channel. */
export function withCurrent(seen: Seen, signed: SignedManifest): Seen {
  const { channel } = signed.manifest;
  const { channels } = withManifest(seen, signed);
  return {
    ...seen,
    channels: { ...channels, [channel]: { ...(channels[channel] as SeenChannel), current: signed.digest } },
  };
}

/** Returns the record of a channel; `undefined` for a new channel. */
export function seenOf({ channels }: Seen, channel: string): SeenChannel | undefined {
  return Object.hasOwn(channels, channel) ? channels[channel] : undefined;
}

interface Numbered {
  readonly version: number;
  readonly name: string;
}

function isNewer(found: Numbered, last: Numbered | undefined, what: string): boolean {
  if (last === undefined || found.version > last.version) return true;
  if (found.version < last.version)
    throw new Refused("version", `${what} has the version ${found.version}, and ${last.version} was seen before`);
  if (found.name === last.name) return false;
  throw new Refused("version", `${what} is not the one that was seen before with the version ${found.version}`);
}
