import { existsSync } from "node:fs";
import type { Bus } from "../link/bus.ts";
import type { Membership } from "../place/joined.ts";
import { Refused } from "../policy/refused.ts";
import type { TrustedRoot } from "../policy/root.ts";
import { pinnedChain, type RootChain, readRoots, withNext, writeRoots } from "../policy/roots.ts";
import { firstSeen, raiseSeen, readSeen, withRoot, writeSeen } from "../policy/seen.ts";
import { type PolicyPlace, policyPlace } from "../policy/take.ts";
import { KEYS, readKey } from "./buckets.ts";

/** A fleet and the SHA-256 of its pinned root, with which the chain of trusted roots begins. */
export interface Pinned {
  readonly fleet: string;
  readonly pin: string;
}

/**
 * Returns the newest root of the chain that begins with the pinned one. Throws `Refused` if the server does not have
 * the pinned one.
 */
export async function trustedRoot(bus: Bus, fleet: string, pin: string): Promise<TrustedRoot> {
  return (await publishedRoots(bus, { fleet, pin })).root;
}

/**
 * Returns the roots on this machine. Throws `Refused` if there are none, if they do not begin with the pinned one, or
 * if newer ones have been seen.
 */
export function keptRoots(place: PolicyPlace, { fleet, pin }: Pinned): RootChain {
  const chain = readRoots(place.roots, pin);
  requireFleet(chain, { fleet, pin });
  const seen = readSeen(place.seen);
  if (withRoot(seen, chain.root) !== seen) raiseSeen(place.seen, (now) => withRoot(now, chain.root));
  return chain;
}

/** Returns the newest root on a machine; throws as `keptRoots` does. */
export function keptRoot({ folder, fleet, root: pin }: Pick<Membership, "folder" | "fleet" | "root">): TrustedRoot {
  return keptRoots(policyPlace(folder), { fleet, pin }).root;
}

/** Fetches the pinned root and its successors, and stores them; throws `Refused` if one cannot be trusted. */
export async function takeRoots(place: PolicyPlace, pinned: Pinned, bus: Bus): Promise<RootChain> {
  const chain = await publishedRoots(bus, pinned);
  // The record of seen versions stays, so that joining again cannot bring back an older version.
  if (!existsSync(place.seen)) writeSeen(place.seen, firstSeen(chain.root));
  keepRoots(place, chain);
  return chain;
}

/** Writes a chain to this machine; throws `Refused` if a newer root, or another one of its version, was seen before. */
export function keepRoots(place: PolicyPlace, chain: RootChain): void {
  raiseSeen(place.seen, (seen) => {
    const raised = withRoot(seen, chain.root);
    // The roots are written first: a root that counts as seen must be on disk.
    writeRoots(place.roots, chain);
    return raised;
  });
}

/** Adds the next root on the server to a chain; `undefined` if there is none. */
export async function followingRoot(chain: RootChain, bus: Bus): Promise<RootChain | undefined> {
  const { fleet, version } = chain.root;
  const stored = await readKey(bus, fleet, { bucket: "policy", key: KEYS.root(version + 1) });
  return stored && withNext(chain, stored.data);
}

async function publishedRoots(bus: Bus, { fleet, pin }: Pinned): Promise<RootChain> {
  const pinned = await readKey(bus, fleet, { bucket: "policy", key: KEYS.pin(pin) });
  if (pinned === undefined)
    throw new Refused(
      "missing",
      `the fleet ${fleet} has no root ${pin}; \`hookline fleet root publish\` puts it there`,
    );
  let chain = pinnedChain(pinned.data, pin);
  requireFleet(chain, { fleet, pin });
  for (;;) {
    const next = await followingRoot(chain, bus);
    if (next === undefined) return chain;
    chain = next;
  }
}

function requireFleet({ root }: RootChain, { fleet, pin }: Pinned): void {
  if (root.fleet !== fleet)
    throw new Refused("fleet", `the root ${pin} belongs to the fleet ${root.fleet}, not to ${fleet}`);
}
