import { dirname } from "node:path";
import { type Clock, messageOf } from "../kit.ts";
import { type Bus, busOn } from "../link/bus.ts";
import type { Link } from "../link/link.ts";
import { namesOf } from "../name/subjects.ts";
import type { Membership } from "../place/joined.ts";
import { type Bundle, checkedBundle, installBundle } from "../policy/bundle.ts";
import { requireCurrent, signedManifest } from "../policy/manifest.ts";
import type { TrustedRoot } from "../policy/root.ts";
import { policyPlace } from "../policy/take.ts";
import { blobsIn, KEYS, readKey } from "../store/buckets.ts";
import { Follower, type Prepared } from "../store/follow.ts";
import { keptRoots, takeRoots } from "../store/trusted.ts";
import { openHooks } from "./hooks.ts";
import type { Worker } from "./worker.ts";

/** How many versions a worker serves, so that agents that have not changed to the newest yet get answers. */
const VERSIONS = 3;
/**
 * How many version numbers a worker looks back for older versions. A publisher that broke off leaves a number unused.
 */
const MOST_BACK = 20;

/** A channel, and the worker that serves it. */
export interface ChannelParts {
  readonly membership: Pick<Membership, "fleet" | "root" | "folder">;
  readonly channel: string;
  readonly link: Link;
  readonly worker: Worker;
  readonly clock: Clock;
  /** Called with a line for each version that is served or refused. */
  tell(line: string): void;
}

/** Makes a worker serve the newest versions of a channel from now on. Rejects if the fleet's root is not available. */
export async function serveChannel(parts: ChannelParts): Promise<{ readonly follower: Follower; stop(): void }> {
  const { membership, channel, link, worker, clock, tell } = parts;
  const { fleet, root: pin } = membership;
  const place = policyPlace(membership.folder);
  const bus = busOn(link);
  let isStopped = false;
  let older: Promise<void> = Promise.resolve();
  const follower: Follower = new Follower({
    place,
    roots: await rootsOf(),
    channel,
    bus,
    clock,
    // Agents wait until a worker serves the version. A worker itself does not wait for another one.
    answers: async () => true,
    async load(bundle) {
      const { use, drop } = await prepared(bundle, parts);
      return {
        drop,
        use() {
          use();
          serveTheOlder();
        },
      };
    },
    keeps: () => worker.served.map(({ digest }) => digest),
    trusts: (root) => void dropUntrusted(root, parts),
    tell,
  });
  const { current, untrusted } = follower;
  if (current !== undefined && untrusted === undefined)
    await prepared(current, parts).then(
      (one) => one.use(),
      (thrown: unknown) => tell(`version ${current.manifest.version} cannot be loaded: ${messageOf(thrown)}`),
    );
  await follower.look();
  serveTheOlder();
  await older;
  link.serve((connection) => {
    worker.listen(connection);
    connection.subscribe(namesOf(fleet).policy(channel), { callback: () => void follower.look() });
    void follower.begin();
  });
  const unfollow = link.whenConnected(() => follower.reconnected());
  return {
    follower,
    stop() {
      isStopped = true;
      unfollow();
      follower.stop();
    },
  };

  /** Serves the bundle's older versions too: the follower loads only the last of several that are published quickly. */
  function serveTheOlder(): void {
    older = older.then(() => serveOlder(follower, parts, { bus, isStopped: () => isStopped }));
  }

  async function rootsOf() {
    try {
      return keptRoots(place, { fleet, pin });
    } catch {
      return takeRoots(place, { fleet, pin }, bus);
    }
  }
}

/** Loads a version. When it comes into use, versions beyond the newest three are dropped. */
async function prepared(bundle: Bundle, { worker, tell, channel }: ChannelParts): Promise<Prepared> {
  const hooks = await openHooks(bundle, ({ message }) => tell(message));
  return {
    drop: () => void hooks.close(),
    use() {
      worker.serve(bundle, hooks);
      tell(`serves version ${bundle.manifest.version} of ${channel}`);
      const [, , , ...old] = [...worker.served].sort((a, b) => b.manifest.version - a.manifest.version);
      for (const one of old) void worker.drop(one);
    },
  };
}

/** Serves the versions before the newest, which agents may still use. */
async function serveOlder(
  { root, current }: Follower,
  parts: ChannelParts,
  { bus, isStopped }: { readonly bus: Bus; isStopped(): boolean },
): Promise<void> {
  const { worker, channel, clock, tell, membership } = parts;
  const newest = current?.manifest.version ?? 0;
  const { bundles } = policyPlace(membership.folder);
  let missing = VERSIONS - 1;
  for (let version = newest - 1; missing > 0 && version > Math.max(0, newest - MOST_BACK); version--) {
    if (worker.served.some(({ manifest }) => manifest.version === version)) {
      missing -= 1;
      continue;
    }
    try {
      const stored = await readKey(bus, root.fleet, { bucket: "policy", key: KEYS.version(channel, version) });
      if (stored === undefined) continue;
      const expected = { root, channel };
      requireCurrent(signedManifest(stored.data, expected), root, clock.wall());
      const bundle = await installBundle(bundles, stored.data, { ...expected, blobs: blobsIn(bus, root.fleet) });
      const one = await prepared(bundle, parts);
      if (isStopped()) return one.drop();
      one.use();
      missing -= 1;
    } catch (thrown) {
      if (isStopped()) return;
      tell(`does not serve version ${version} of ${channel}: ${messageOf(thrown)}`);
    }
  }
}

/** Drops the versions that a new root does not trust any more. */
async function dropUntrusted(root: TrustedRoot, { worker, channel, tell }: ChannelParts): Promise<void> {
  for (const bundle of worker.served)
    try {
      checkedBundle(dirname(bundle.folder), { root, channel });
    } catch (thrown) {
      tell(`does not serve version ${bundle.manifest.version} of ${channel} any more: ${messageOf(thrown)}`);
      await worker.drop(bundle);
    }
}
