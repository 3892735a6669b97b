import { type Clock, messageOf, type Timer } from "../kit.ts";
import type { Bus } from "../link/bus.ts";
import { spread } from "../link/spread.ts";
import type { Bundle } from "../policy/bundle.ts";
import { removeOldBundles } from "../policy/clean.ts";
import { requireCurrent, signedManifest } from "../policy/manifest.ts";
import { Refused } from "../policy/refused.ts";
import type { TrustedRoot } from "../policy/root.ts";
import type { RootChain } from "../policy/roots.ts";
import { bundleInUse, fetchBundle, type PolicyPlace, useBundle } from "../policy/take.ts";
import { blobsIn, KEYS, readKey } from "./buckets.ts";
import { followingRoot, keepRoots } from "./trusted.ts";

/** How often a machine looks for a new version, in ms, varied each time by up to `SPREAD` of it. */
const LOOK_MS = 60_000;
/** First wait before looking again while no worker serves a version or the server is away, in ms. Doubles each time. */
const WAIT_MS = 500;
const SPREAD = 0.3;

/** A bundle that was loaded and is not in use yet. */
export interface Prepared {
  use(): void;
  /** Discards the bundle, which will not be used. */
  drop(): void;
}

/** Options for following a channel. */
export interface FollowOptions {
  readonly place: PolicyPlace;
  readonly roots: RootChain;
  readonly channel: string;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Whether a worker with this bundle answers. */
  answers(bundle: Bundle): Promise<boolean>;
  /** Loads a bundle beside the one in use. If it rejects, the one in use stays. */
  load(bundle: Bundle): Promise<Prepared>;
  /** Returns the digests of other bundles that this process still uses; they stay on disk. */
  keeps?(): readonly string[];
  /** Called with each new root. */
  trusts?(root: TrustedRoot): void;
  /** Called with the reason of each refusal, without repetitions. An absent server is not reported. */
  tell(problem: string): void;
}

/** A version that no worker serves yet. */
interface Waiting {
  readonly digest: string;
  /** Time of the first search for a worker, by `clock.now()`. */
  readonly since: number;
  readonly maxMs: number;
  /** How many searches after the first one have found no worker. */
  readonly looks: number;
}

/** Follows the policy of a channel: takes newer versions that the pinned root has signed, and keeps the last good one. */
export class Follower {
  readonly #options: FollowOptions;
  readonly #bus: Bus;
  #roots: RootChain;
  #current: Bundle | undefined;
  #looking: Promise<void> | undefined;
  /** The next search for a new version, which begins when the current one ends. */
  #again: Promise<void> | undefined;
  #isFollowing = false;
  #hasLooked = false;
  #timer: Timer | undefined;
  #waiting: Waiting | undefined;
  /** How many searches in a row got no answer from the server. */
  #misses = 0;
  /** A bundle that could not be loaded; it is not tried again. */
  #broken: { readonly digest: string; readonly problem: string } | undefined;
  #problem: string | undefined;
  /** The reason why the bundle on disk or in use may not be used. */
  #untrusted: string | undefined;

  /** Starts with the bundle that was last in use, unless it was changed meanwhile. */
  constructor(options: FollowOptions) {
    this.#options = options;
    this.#bus = telling(options.bus);
    this.#roots = options.roots;
    try {
      this.#current = bundleInUse(options.place, { root: this.root, channel: options.channel });
    } catch (thrown) {
      this.#untrusted = messageOf(thrown);
    }
  }

  /** The newest root that is trusted. */
  get root(): TrustedRoot {
    return this.#roots.root;
  }

  /** The problem of the last search for a new version; `undefined` if it succeeded. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The bundle in use; `undefined` if none was taken yet. */
  get current(): Bundle | undefined {
    return this.#current;
  }

  /** The reason why the bundle in use must not be asked any more; `undefined` if it may be. */
  get untrusted(): string | undefined {
    return this.#untrusted;
  }

  /** The reason why the bundle in use is too old or no longer valid; `undefined` while it is valid. */
  get stale(): string | undefined {
    const { clock, channel } = this.#options;
    if (this.#untrusted !== undefined) return this.#untrusted;
    if (this.#current === undefined) return `no policy of ${channel} has been fetched yet`;
    try {
      requireCurrent(this.#current, this.root, clock.wall());
    } catch (thrown) {
      return messageOf(thrown);
    }
    const { since, maxMs } = this.#waiting ?? { since: 0, maxMs: Number.POSITIVE_INFINITY };
    return clock.now() - since > maxMs
      ? `no worker has served the newest version of ${channel} for ${maxMs} ms`
      : undefined;
  }

  /** Whether guarded calls must be refused because the policy is stale. */
  get refuses(): boolean {
    return this.#untrusted !== undefined || (this.#current?.manifest.onStale === "refuse" && this.stale !== undefined);
  }

  /** Looks for a new version now, and about every minute until `stop`; sooner while a version waits for a worker. */
  begin(): Promise<void> {
    this.#isFollowing = true;
    return this.look();
  }

  /** Looks for a new version after a reconnection, since this machine has missed notices. */
  reconnected(): void {
    if (this.#isFollowing) void this.look();
  }

  stop(): void {
    this.#isFollowing = false;
    this.#timer?.cancel();
  }

  /**
   * Searches for a new version. If a search is under way, another one follows it: a version may have been published too
   * late for the first. Problems are reported, and change nothing.
   */
  look(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#again ??= this.#looking.then(() => {
        this.#again = undefined;
        return this.look();
      });
      return this.#again;
    }
    this.#looking = this.#look()
      .then(
        () => {
          this.#problem = undefined;
          this.#misses = 0;
        },
        (thrown: unknown) => this.#failed(thrown),
      )
      .finally(() => {
        this.#looking = undefined;
        this.#hasLooked = true;
        this.#lookLater();
      });
    return this.#looking;
  }

  /** Waits until the current search for a new version has ended; begins the first search if there was none. */
  async looked(): Promise<void> {
    await (this.#looking ?? (this.#hasLooked ? undefined : this.look()));
  }

  #lookLater(): void {
    this.#timer?.cancel();
    if (!this.#isFollowing) return;
    const tries = this.#misses > 0 ? this.#misses - 1 : this.#waiting?.looks;
    const ms = tries === undefined ? LOOK_MS : Math.min(LOOK_MS, WAIT_MS * 2 ** tries);
    this.#timer = this.#options.clock.timer(spread(ms, SPREAD), () => void this.look());
  }

  async #look(): Promise<void> {
    const { place, channel, clock, answers, load } = this.#options;
    const bus = this.#bus;
    await this.#rotate();
    const { root } = this;
    const stored = await readKey(bus, root.fleet, { bucket: "policy", key: KEYS.channel(channel) });
    if (stored === undefined) return;
    const { digest } = signedManifest(stored.data, { root, channel });
    if (digest === this.#current?.digest && this.#untrusted === undefined) return;
    if (digest === this.#broken?.digest) throw new Refused("field", this.#broken.problem);
    const blobs = blobsIn(bus, root.fleet);
    const bundle = await fetchBundle(place, { root, channel, envelope: stored.data, blobs, now: clock.wall() });
    const { hooks, rollout, version } = bundle.manifest;
    // A new version waits for a worker only if there is an older one to use meanwhile.
    const isKept = this.#current !== undefined && this.#untrusted === undefined;
    const mayWait = isKept && hooks.some(({ where }) => where === "worker");
    if (mayWait && !(await answers(bundle))) {
      const { since, looks } = this.#waiting?.digest === digest ? this.#waiting : { since: clock.now(), looks: -1 };
      this.#waiting = { digest, since, maxMs: rollout.maxMs, looks: looks + 1 };
      throw new Waits(`version ${version} of ${channel} is waiting for a worker that serves it`);
    }
    const prepared = await load(bundle).catch((thrown: unknown) => {
      this.#broken = { digest, problem: `version ${version} of ${channel} cannot be loaded: ${messageOf(thrown)}` };
      throw new Refused("field", this.#broken.problem);
    });
    try {
      useBundle(place, bundle);
    } catch (thrown) {
      prepared.drop();
      throw thrown;
    }
    this.#current = bundle;
    this.#untrusted = undefined;
    this.#waiting = undefined;
    prepared.use();
    this.#clean();
  }

  /** Removes unneeded bundles; one that cannot be removed does no harm. */
  #clean(): void {
    const { place, clock, keeps } = this.#options;
    try {
      removeOldBundles(place, { now: clock.wall(), keep: keeps?.() ?? [] });
    } catch {
      // If the cleanup fails, the next version's cleanup tries again.
    }
  }

  /** Takes the successors of the trusted root from the server, one after the other. */
  async #rotate(): Promise<void> {
    for (;;) {
      const next = await followingRoot(this.#roots, this.#bus);
      if (next === undefined) return;
      keepRoots(this.#options.place, next);
      this.#roots = next;
      this.#trustAgain();
      this.#options.trusts?.(next.root);
    }
  }

  /** Checks the bundle in use against the new root: whoever stole a removed key may have signed this bundle. */
  #trustAgain(): void {
    const { place, channel } = this.#options;
    try {
      bundleInUse(place, { root: this.root, channel });
    } catch (thrown) {
      this.#untrusted = messageOf(thrown);
    }
  }

  #failed(thrown: unknown): void {
    this.#misses = thrown instanceof Away ? this.#misses + 1 : 0;
    // A waiting version is reported only when it has waited too long.
    const problem = (thrown instanceof Waits ? this.stale : undefined) ?? messageOf(thrown);
    const isQuiet = thrown instanceof Away || (thrown instanceof Waits && this.stale === undefined);
    if (problem !== this.#problem && !isQuiet) this.#options.tell(problem);
    this.#problem = problem;
  }
}

/** Thrown while no worker serves a version. */
class Waits extends Error {}

/** Thrown if the server did not answer, which says nothing about the policy. */
class Away extends Error {}

function telling(bus: Bus): Bus {
  const away = (thrown: unknown): never => {
    throw new Away(messageOf(thrown), { cause: thrown });
  };
  return {
    request: (...asked) => bus.request(...asked).catch(away),
    tell: (subject) => bus.tell(subject).catch(away),
  };
}
