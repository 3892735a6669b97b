import { type Clock, messageOf } from "../kit.ts";
import { busOn } from "../link/bus.ts";
import { CountedLink } from "../link/counted.ts";
import { Link } from "../link/link.ts";
import { within } from "../link/within.ts";
import { namesOf } from "../name/subjects.ts";
import type { Membership } from "../place/joined.ts";
import type { Bundle } from "../policy/bundle.ts";
import type { RootChain } from "../policy/roots.ts";
import { policyPlace } from "../policy/take.ts";
import { type Announcer, announced } from "../presence/announcer.ts";
import { Follower, type Prepared } from "../store/follow.ts";
import { keptRoots, takeRoots } from "../store/trusted.ts";
import { ping } from "./ping.ts";

/** How long a session's start waits for the server if the policy on disk cannot be used, in ms. */
const PATIENCE_MS = 10_000;
/** How long to wait for a worker's answer to a ping, in ms. */
const PING_MS = 2000;

/** How long the first prompt of a session waits for a new version, in ms. */
const FIRST_MS = 3000;
/** How long the end of a session waits for a new version, in ms. */
const LAST_MS = 1000;

/** A session that has a version of the policy in use. */
export interface Follows {
  /** Loads a version beside the one in use; rejects if it cannot be loaded. */
  prepare(bundle: Bundle): Promise<Prepared>;
  /** Called with the reason of each refused version. */
  tell(problem: string): void;
}

/** Options for following a policy. */
export interface PolicyOptions {
  readonly membership: Membership;
  readonly clock: Clock;
  readonly connectMs?: number | undefined;
  /** A connection shared with others in this process. Default: a connection of its own. */
  readonly link?: CountedLink | undefined;
  /** The version of hookline, for announcing the machine; without it the machine is not announced. */
  readonly version: string | undefined;
}

/** The policy that this process follows, for all of its sessions: one connection, one follower. */
export class Policy {
  readonly #options: PolicyOptions;
  readonly #sessions = new Set<Follows>();
  #follower: Follower | undefined;
  /** The connection that all sessions share, from its first use until the last session ends. */
  #held: { readonly link: Link; release(): void } | undefined;
  #presence: Announcer | undefined;
  /** Whether the sessions' connection is subscribed to notices of new versions. */
  #isFollowing = false;
  #unfollow = (): void => {};
  /** A connection for fetching a policy at the start, used if the one on disk cannot be used. */
  #early: Link | undefined;

  constructor(options: PolicyOptions) {
    this.#options = options;
  }

  /** The connection on which the sessions' questions are sent. */
  get link(): Link {
    const { membership, clock, connectMs } = this.#options;
    const { url, creds } = membership;
    const options = { url, creds, clock, ...(connectMs !== undefined && { connectMs }) };
    this.#held ??= (this.#options.link ?? new CountedLink(options)).take();
    return this.#held.link;
  }

  /**
   * Returns the bundle in use: the one on disk or, if that may not be used, the newest on the server. Throws the reason
   * if there is none.
   */
  async current(): Promise<Bundle> {
    let problem: string | undefined;
    try {
      this.#follower ??= this.#followerOf(keptRoots(this.#place, this.#pinned));
    } catch (thrown) {
      problem = messageOf(thrown);
    }
    const { current } = this.#follower ?? {};
    if (current !== undefined && this.#follower?.untrusted === undefined) return current;
    problem ??= this.#follower?.stale ?? "it has no policy";
    const { membership, clock } = this.#options;
    this.#early = new Link({ url: membership.url, creds: membership.creds, clock, connectMs: PATIENCE_MS });
    try {
      if (!(await this.#early.ready(PATIENCE_MS)))
        throw new Error(`${problem}; the server cannot be reached (${this.#early.problem ?? "no answer"})`);
      this.#follower ??= this.#followerOf(await takeRoots(this.#place, this.#pinned, busOn(this)));
      await this.#follower.look();
    } finally {
      this.#early.close();
      this.#early = undefined;
    }
    const { current: taken, untrusted } = this.#follower;
    if (taken !== undefined && untrusted === undefined) return taken;
    throw new Error(`${problem}; ${this.#follower.problem ?? "the server has no other version"}`);
  }

  /** The problem of the policy in use, in words; `undefined` if it is current. */
  get stale(): string | undefined {
    return this.#follower?.stale;
  }

  /** The reason why guarded calls must be refused now; `undefined` if they need not be. */
  get refusal(): string | undefined {
    const { membership } = this.#options;
    const follower = this.#follower;
    return follower?.refuses === true ? `fleet ${membership.fleet}: stale policy (${follower.stale})` : undefined;
  }

  /**
   * Registers a session for new versions; returns the function that undoes this. The last session to leave closes the
   * connection.
   */
  add(session: Follows): () => void {
    this.#sessions.add(session);
    return () => {
      this.#sessions.delete(session);
      if (this.#sessions.size > 0) return;
      this.#unfollow();
      this.#follower?.stop();
      this.#presence?.close();
      this.#held?.release();
      this.#held = this.#presence = undefined;
      this.#isFollowing = false;
    };
  }

  /** Connects, and follows new versions from then on; does nothing if the last session has ended. */
  begin(): void {
    if (this.#sessions.size === 0) return;
    const { membership, clock, version } = this.#options;
    const { fleet, channel, creds, spool } = membership;
    const { link } = this;
    if (version !== undefined)
      this.#presence ??= announced({
        link,
        creds,
        bundle: () => this.#follower?.current,
        clock,
        version,
        spool,
      });
    if (!this.#isFollowing) {
      this.#isFollowing = true;
      link.serve((connection) => {
        connection.subscribe(namesOf(fleet).policy(channel), { callback: () => void this.#follower?.look() });
        void this.#follower?.begin();
      });
      this.#unfollow = link.whenConnected(() => this.#follower?.reconnected());
    }
    link.begin();
  }

  /** Connects, and waits for at most `FIRST_MS` until the search for a new version has ended. */
  fresh(): Promise<void> {
    return this.#lookWithin(FIRST_MS);
  }

  /**
   * Waits for at most `LAST_MS` until the search for a new version has ended, so that short runs take one too. Does not
   * connect, and does not wait for a server that is known to be away.
   */
  async looked(): Promise<void> {
    const link = this.#held?.link;
    if (link === undefined || link.problem !== undefined || !(this.#isFollowing || link.isConnected)) return;
    await this.#lookWithin(LAST_MS);
  }

  // `busOn` needs only these two members, so the follower's bus can be made from this policy instead of a link.

  get connection(): Link["connection"] {
    return (this.#early ?? this.#held?.link)?.connection;
  }

  get problem(): string | undefined {
    return (this.#early ?? this.#held?.link)?.problem;
  }

  get #place() {
    return policyPlace(this.#options.membership.folder);
  }

  get #pinned() {
    const { fleet, root } = this.#options.membership;
    return { fleet, pin: root };
  }

  #followerOf(roots: RootChain): Follower {
    const { membership, clock } = this.#options;
    return new Follower({
      place: this.#place,
      roots,
      channel: membership.channel,
      bus: busOn(this),
      clock,
      answers: async ({ digest }) =>
        (await ping(this.#early ?? this.link, membership.creds, { digest, mostMs: PING_MS })) !== undefined,
      load: (bundle) => this.#prepare(bundle),
      tell: (problem) => {
        for (const session of this.#sessions) session.tell(problem);
      },
    });
  }

  async #lookWithin(mostMs: number): Promise<void> {
    this.begin();
    const link = this.#held?.link;
    if (link === undefined) return;
    await within({ link, clock: this.#options.clock, mostMs }, () => this.#follower?.looked());
  }

  /** Loads a version for every session. If one session cannot load it, none uses it. */
  async #prepare(bundle: Bundle): Promise<Prepared> {
    const tried = await Promise.allSettled([...this.#sessions].map((session) => session.prepare(bundle)));
    const prepared = tried.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const drop = (): void => {
      for (const one of prepared) one.drop();
    };
    const failed = tried.find((one) => one.status === "rejected");
    if (failed !== undefined) {
      drop();
      throw failed.reason;
    }
    return {
      drop,
      use: () => {
        for (const one of prepared) one.use();
        this.#presence?.say();
      },
    };
  }
}
