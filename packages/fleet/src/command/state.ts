import { statSync } from "node:fs";
import { messageOf, systemClock } from "../kit.ts";
import { ping } from "../lane/ping.ts";
import { Link } from "../link/link.ts";
import { versionWarning } from "../link/version.ts";
import type { Access, Membership } from "../place/joined.ts";
import type { Bundle } from "../policy/bundle.ts";
import { coverageOf } from "../policy/coverage.ts";
import { requireCurrent } from "../policy/manifest.ts";
import type { TrustedRoot } from "../policy/root.ts";
import { bundleInUse, policyPlace } from "../policy/take.ts";
import { Backlog } from "../presence/backlog.ts";
import { keptRoots } from "../store/trusted.ts";

/** How long to wait for the server, and then for a worker, in ms. */
const PATIENCE_MS = 5000;

/** The fleet's policy as a machine keeps it. */
export interface Kept {
  /** The newest root in the chain that begins with the pinned one; absent if none can be trusted. */
  readonly root?: TrustedRoot;
  readonly bundle?: Bundle;
  /** Time since the bundle was installed, in ms. */
  readonly ageMs?: number;
  /** The reason why the policy is no longer valid, or not valid yet. */
  readonly stale?: string;
}

/** Reads what a machine keeps of its fleet's policy, and checks each byte of it. */
export function keptPolicy({ folder, fleet, root: pin, channel }: Membership): Kept {
  const place = policyPlace(folder);
  let kept: Kept = {};
  try {
    const { root } = keptRoots(place, { fleet, pin });
    kept = { root };
    const bundle = bundleInUse(place, { root, channel });
    if (bundle === undefined) return { root, stale: `no policy of ${channel} has been fetched yet` };
    kept = { root, bundle, ageMs: Math.max(0, Math.round(Date.now() - statSync(bundle.folder).mtimeMs)) };
    requireCurrent(bundle, root, Date.now());
    return kept;
  } catch (thrown) {
    return { ...kept, stale: messageOf(thrown) };
  }
}

/** The current state of a machine's connection to its fleet. */
export interface FoundFleet {
  readonly connected: boolean;
  /** The reason why the machine is not connected. */
  readonly problem?: string;
  /** The version of the server. */
  readonly version?: string;
  /** A warning about the server's version. */
  readonly warning?: string;
  /** Whether a worker was looked for: this is an agent, and its bundle has hooks for workers. */
  readonly asks: boolean;
  /** The name of the worker that answered first; absent if none did. */
  readonly worker?: string;
}

/** Connects to a fleet's server and, for an agent, looks for a worker with the bundle. */
export async function findFleet({ url, creds }: Access, bundle: Bundle | undefined): Promise<FoundFleet> {
  const asks = creds.role === "agent" && bundle !== undefined && coverageOf(bundle.manifest).length > 0;
  const link = new Link({ url, creds, clock: systemClock, connectMs: PATIENCE_MS });
  try {
    if (!(await link.ready(PATIENCE_MS))) return { connected: false, problem: link.problem ?? "no answer", asks };
    const version = link.connection?.info?.version;
    const warning = version === undefined ? undefined : versionWarning(version, url);
    const worker = asks ? await ping(link, creds, { digest: bundle.digest, mostMs: PATIENCE_MS }) : undefined;
    return {
      connected: true,
      ...(version !== undefined && { version }),
      ...(warning !== undefined && { warning }),
      asks,
      ...(worker !== undefined && { worker }),
    };
  } finally {
    link.close();
  }
}

/** Decisions that are not yet sent. */
export interface Waiting {
  readonly batches: number;
  readonly bytes: number;
  readonly oldestMs: number;
}

/** Counts the batches in a machine's spool that the fleet does not have yet. */
export function waitingIn({ spool }: Pick<Membership, "spool">): Waiting {
  return new Backlog(spool).at(Date.now()) ?? { batches: 0, bytes: 0, oldestMs: 0 };
}

/** Describes a backlog in words. */
export function waitingText({ batches, bytes, oldestMs }: Waiting): string {
  return `${batches} batches of decisions are waiting to be sent, ${bytes} bytes, the oldest for ${Math.round(oldestMs / 1000)} s`;
}
