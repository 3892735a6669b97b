import { type Clock, messageOf, type Timer, writePrivate } from "@hookline/runtime/internal";
import type { Bus } from "../link/bus.ts";
import type { Bundle } from "../policy/bundle.ts";
import { requireCurrent, signedManifest } from "../policy/manifest.ts";
import { nextRoot, type TrustedRoot } from "../policy/root.ts";
import { raiseSeen, withRoot } from "../policy/seen.ts";
import { bundleInUse, fetchBundle, type PolicyPlace, useBundle } from "../policy/take.ts";
import { blobsIn, KEYS, readKey } from "./buckets.ts";

/** How often a machine looks for a new version, in ms; each time up to so large a part earlier or later. */
const LOOK_MS = 60_000;
const SPREAD = 0.3;

/** What a machine follows, and who takes part. */
export interface FollowOptions {
  readonly place: PolicyPlace;
  /** Where the newest root is kept. */
  readonly rootPath: string;
  readonly root: TrustedRoot;
  readonly channel: string;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Whether a worker with this bundle answers. */
  answers(bundle: Bundle): Promise<boolean>;
  /** Loads a bundle beside the one in use; rejects if it cannot be loaded, and then the last one stays. */
  load(bundle: Bundle): Promise<void>;
  /** Told of what is refused, once in a row. */
  tell(problem: string): void;
}

/** Follows the policy of a channel: takes newer versions that the pinned root has signed, and keeps the last good one. */
export class Follower {
  readonly #options: FollowOptions;
  #root: TrustedRoot;
  #current: Bundle | undefined;
  #looking: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** Since when a version waits for a worker, by the clock of this process. */
  #waiting: { readonly digest: string; readonly since: number; readonly maxMs: number } | undefined;
  /** A bundle that could not be loaded is not tried again. */
  #broken: string | undefined;
  #told: string | undefined;
  /** Why the newest root does not trust the bundle in use. */
  #untrusted: string | undefined;

  /** Begins with the bundle that was in use last; throws `Refused` if that was changed. */
  constructor(options: FollowOptions) {
    this.#options = options;
    this.#root = options.root;
    this.#current = bundleInUse(options.place, { root: options.root, channel: options.channel });
  }

  /** The bundle in use; nothing where none was taken yet. */
  get current(): Bundle | undefined {
    return this.#current;
  }

  /** Why the bundle in use counts no more, or is too old; nothing while it counts. */
  get stale(): string | undefined {
    const { clock, channel } = this.#options;
    if (this.#current === undefined) return `no policy of ${channel} was taken yet`;
    if (this.#untrusted !== undefined) return this.#untrusted;
    try {
      requireCurrent(this.#current, this.#root, clock.wall());
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

  /** Looks now, and again every minute or so until `stop`. */
  begin(): Promise<void> {
    this.#timer?.cancel();
    const spread = 1 + SPREAD * (Math.random() * 2 - 1);
    this.#timer = this.#options.clock.timer(LOOK_MS * spread, () => void this.begin());
    return this.look();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Looks once; a look that is under way counts. What goes wrong is told, and changes nothing. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .then(
        () => {
          this.#told = undefined;
        },
        (thrown: unknown) => this.#tell(messageOf(thrown)),
      )
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { place, channel, bus, clock, answers, load } = this.#options;
    await this.#rotate();
    const root = this.#root;
    const stored = await readKey(bus, root.fleet, { bucket: "policy", key: KEYS.channel(channel) });
    if (stored === undefined) return;
    const { digest } = signedManifest(stored.data, { root, channel });
    if (digest === this.#current?.digest || digest === this.#broken) return;
    const blobs = blobsIn(bus, root.fleet);
    const bundle = await fetchBundle(place, { root, channel, envelope: stored.data, blobs, now: clock.wall() });
    const { hooks, rollout, version } = bundle.manifest;
    if (hooks.some(({ where }) => where === "worker") && !(await answers(bundle))) {
      if (this.#waiting?.digest !== digest) this.#waiting = { digest, since: clock.now(), maxMs: rollout.maxMs };
      throw new Error(`version ${version} of ${channel} waits for a worker that serves it`);
    }
    try {
      await load(bundle);
    } catch (thrown) {
      this.#broken = digest;
      throw new Error(`version ${version} of ${channel} cannot be loaded: ${messageOf(thrown)}`, { cause: thrown });
    }
    useBundle(place, bundle);
    this.#current = bundle;
    this.#untrusted = undefined;
    this.#waiting = undefined;
  }

  /** Takes the roots that follow the one that is trusted, one after the other. */
  async #rotate(): Promise<void> {
    const { place, rootPath, bus } = this.#options;
    for (;;) {
      const { fleet, version } = this.#root;
      const stored = await readKey(bus, fleet, { bucket: "policy", key: KEYS.root(version + 1) });
      if (stored === undefined) return;
      const next = nextRoot(stored.data, this.#root);
      raiseSeen(place.seen, (seen) => withRoot(seen, next));
      writePrivate(rootPath, Buffer.from(stored.data).toString());
      this.#root = next;
      this.#trustAgain();
    }
  }

  /** A key that a root no longer has may be in wrong hands, and so may be what it signed. */
  #trustAgain(): void {
    const { place, channel } = this.#options;
    try {
      bundleInUse(place, { root: this.#root, channel });
    } catch (thrown) {
      this.#untrusted = messageOf(thrown);
    }
  }

  #tell(problem: string): void {
    if (problem !== this.#told) this.#options.tell(problem);
    this.#told = problem;
  }
}
