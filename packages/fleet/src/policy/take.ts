import { join } from "node:path";
import { type Blobs, type Bundle, checkedBundle, installBundle } from "./bundle.ts";
import { type Expected, requireCurrent, signedManifest } from "./manifest.ts";
import { raiseSeen, readSeen, seenOf, withCurrent, withManifest } from "./seen.ts";

/** The files of a fleet on this machine. */
export interface PolicyPlace {
  /** Path of the file with the record of versions seen so far. */
  readonly seen: string;
  /** Path of the file with the pinned root and its successors. */
  readonly roots: string;
  /** Path of the folder that has one folder for each bundle. */
  readonly bundles: string;
}

/**
 * Returns the paths of a fleet's policy files. `folder` is `$HOOKLINE_HOME/fleet` or, if the environment names the
 * root, `pins/<SHA-256 of the root>` below it.
 */
export function policyPlace(folder: string): PolicyPlace {
  return { seen: join(folder, "seen.json"), roots: join(folder, "root.json"), bundles: join(folder, "bundles") };
}

/** A version from the server, and the root and channel that it must belong to. */
export interface Offer extends Expected {
  /** The bytes of the manifest's file. */
  readonly envelope: Uint8Array;
  readonly blobs: Blobs;
  /** The current time, in epoch ms. */
  readonly now: number;
}

/**
 * Installs an offered bundle on disk, without putting it into use (`useBundle`). Throws `Refused` if the root does not
 * trust it, it is not valid now, it is older than one seen before, or its files do not match.
 */
export async function fetchBundle(place: PolicyPlace, offer: Offer): Promise<Bundle> {
  const signed = signedManifest(offer.envelope, offer);
  requireCurrent(signed, offer.root, offer.now);
  // Nothing older is accepted from now on, even if this version's files cannot be fetched.
  raiseSeen(place.seen, (seen) => withManifest(seen, signed));
  return installBundle(place.bundles, offer.envelope, offer);
}

/** Records an installed bundle as the one in use; throws `Refused` if a newer one has been seen since. */
export function useBundle(place: PolicyPlace, bundle: Bundle): void {
  raiseSeen(place.seen, (seen) => withCurrent(seen, bundle));
}

/**
 * Returns the bundle in use, with each byte checked again; `undefined` if there is none yet. Throws `Refused` if it was
 * changed or the root no longer trusts it. The caller must check whether it has expired.
 */
export function bundleInUse(place: PolicyPlace, expected: Expected): Bundle | undefined {
  const current = seenOf(readSeen(place.seen), expected.channel)?.current;
  return current === undefined ? undefined : checkedBundle(join(place.bundles, current), expected);
}
