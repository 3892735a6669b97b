import { join } from "node:path";
import { type Blobs, type Bundle, checkedBundle, installBundle } from "./bundle.ts";
import { type Expected, requireCurrent, signedManifest } from "./manifest.ts";
import { raiseSeen, readSeen, seenOf, withCurrent, withManifest } from "./seen.ts";

/** The files of a fleet on this machine. */
export interface PolicyPlace {
  /** The record of versions seen so far. */
  readonly seen: string;
  /** The pinned root and those that follow it. */
  readonly roots: string;
  /** The folder with a folder for each bundle. */
  readonly bundles: string;
}

/** The files of a fleet's policy below a folder: `$HOOKLINE_HOME/fleet`, or one of its own for each pin that is given by variables. */
export function policyPlace(folder: string): PolicyPlace {
  return { seen: join(folder, "seen.json"), roots: join(folder, "root.json"), bundles: join(folder, "bundles") };
}

/** An offered version, and the root and channel that it must belong to. */
export interface Offer extends Expected {
  /** The manifest's file. */
  readonly envelope: Uint8Array;
  readonly blobs: Blobs;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Puts an offered bundle on disk. Throws `Refused` for one that the root does not trust, that does not count now, that is
 * older than one seen before, or whose files are not as they were signed. It is in use only after `useBundle`.
 */
export async function fetchBundle(place: PolicyPlace, offer: Offer): Promise<Bundle> {
  const signed = signedManifest(offer.envelope, offer);
  requireCurrent(signed, offer.root, offer.now);
  // From here on nothing older is taken, also if the files of this one cannot be had.
  raiseSeen(place.seen, (seen) => withManifest(seen, signed));
  return installBundle(place.bundles, offer.envelope, offer);
}

/** Remembers a fetched bundle as the one in use; throws `Refused` if a newer one has been seen since. */
export function useBundle(place: PolicyPlace, bundle: Bundle): void {
  raiseSeen(place.seen, (seen) => withCurrent(seen, bundle));
}

/**
 * The bundle in use, with each byte checked again; nothing where none was taken yet. Throws `Refused` if it was changed
 * or the root no longer trusts it. Whether it has expired is for the caller to ask.
 */
export function bundleInUse(place: PolicyPlace, expected: Expected): Bundle | undefined {
  const current = seenOf(readSeen(place.seen), expected.channel)?.current;
  return current === undefined ? undefined : checkedBundle(join(place.bundles, current), expected);
}
