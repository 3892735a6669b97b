import type { Proof } from "@hookline/runtime/session";
import type { BridgeHost } from "../host/host.ts";
import { ClosedTable } from "./closed-table.ts";
import type { BridgeSession, OpenParts } from "./session.ts";

/** How long a session without calls is kept, in ms. */
const IDLE_MS = 30 * 60 * 1000;
/** How long after a call the table of guards is made anew, in ms. */
const LOOK_MS = 1000;

/** The most ended sessions that are remembered. */
const MOST_ENDED = 256;

/** Dependencies of the sessions. */
export interface SessionsParts {
  open(parts: OpenParts): Promise<BridgeSession>;
  log(line: string): void;
  /** Called with the current table of guards each time that a session was opened or its guards may have changed. */
  guarded?(table: ClosedTable): void;
  readonly idleMs?: number;
}

interface Held {
  readonly host: BridgeHost;
  readonly opening: Promise<BridgeSession>;
  /** The session; absent while it is being opened. */
  opened?: BridgeSession;
  /** The host's events that the session was asked about. */
  readonly heard: Set<string>;
  idle?: NodeJS.Timeout | undefined;
  calls: number;
  /** The end of the last call, in epoch ms. */
  lastMs: number;
  /** Whether a first call has ended; modules that register hooks at the session's start have then done so. */
  isKnown: boolean;
}

/** The sessions of a daemon, by host and by the host's session id. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #held = new Map<string, Held>();
  /** Sessions that their host has ended. If an adapter is installed twice, the second report of an end is ignored. */
  readonly #ended = new Set<string>();
  readonly #closing = new Set<Promise<void>>();
  #look: NodeJS.Timeout | undefined;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#held.size;
  }

  /** The number of sessions of each host. */
  get byHost(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { host } of this.#held.values()) counts[host.name] = (counts[host.name] ?? 0) + 1;
    return counts;
  }

  /** Test results of the guards by host, from the session with the most failures; among equals, from the newest. */
  get guards(): Readonly<Record<string, Proof>> {
    const found: Record<string, Proof> = {};
    for (const { host, opened } of this.#held.values()) {
      if (opened === undefined) continue;
      const { proof } = opened;
      if (proof.dead.length >= (found[host.name]?.dead.length ?? 0)) found[host.name] = proof;
    }
    return found;
  }

  /** Runs work with a session, which is opened first if necessary and kept open meanwhile. */
  async with<T>(parts: OpenParts, event: string, work: (session: BridgeSession) => Promise<T>): Promise<T> {
    const key = keyOf(parts.host, parts.id);
    const held = this.#held.get(key) ?? this.#open(key, parts);
    held.calls += 1;
    held.heard.add(event);
    try {
      return await work(held.opened ?? (await held.opening));
    } finally {
      held.calls -= 1;
      if (!held.isKnown) this.#tellGuarded();
      else this.#lookAgain();
      held.isKnown = true;
      held.lastMs = Date.now();
      if (this.#held.get(key) === held) held.idle ??= this.#closeWhenIdle(held, parts);
    }
  }

  /**
   * Starts the timer that closes an idle session. One timer serves many calls: one for each call would delay its
   * answer.
   */
  #closeWhenIdle(held: Held, { host, id }: OpenParts): NodeJS.Timeout {
    const { idleMs = IDLE_MS } = this.#parts;
    const look = (): void => {
      const restedMs = held.calls > 0 ? 0 : Date.now() - held.lastMs;
      if (restedMs >= idleMs) void this.close(host, id);
      else held.idle = setTimeout(look, idleMs - restedMs).unref();
    };
    return setTimeout(look, idleMs).unref();
  }

  /** Whether an open session was asked about this event of its host. */
  hasHeard(host: Pick<BridgeHost, "name">, id: string, event: string): boolean {
    return this.#held.get(keyOf(host, id))?.heard.has(event) === true;
  }

  /** Whether the host has ended a session and not called for it since. */
  hasEnded(host: Pick<BridgeHost, "name">, id: string): boolean {
    return this.#ended.has(keyOf(host, id));
  }

  /** Closes a session that its host has ended. */
  async end(host: Pick<BridgeHost, "name">, id: string): Promise<void> {
    this.#ended.add(keyOf(host, id));
    const [oldest] = this.#ended;
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest);
    await this.close(host, id);
  }

  /** Closes a session after its running calls have ended. */
  async close(host: Pick<BridgeHost, "name">, id: string): Promise<void> {
    const key = keyOf(host, id);
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    clearTimeout(held.idle);
    const closing = this.#letGo(key, held).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    await closing;
  }

  /** Closes all sessions, and waits for those that are already closing. */
  async closeAll(): Promise<void> {
    for (const key of [...this.#held.keys()]) {
      const [name = "", id = ""] = key.split("\0");
      void this.close({ name }, id);
    }
    await Promise.all(this.#closing);
  }

  async #letGo(key: string, { opening }: Held): Promise<void> {
    try {
      await (await opening).close();
    } catch (thrown) {
      this.#parts.log(`session ${key.replace("\0", " ")}: ${String(thrown)}`);
    }
  }

  #open(key: string, parts: OpenParts): Held {
    this.#ended.delete(key);
    const held: Held = {
      host: parts.host,
      opening: this.#parts.open(parts),
      heard: new Set(),
      calls: 0,
      lastMs: 0,
      isKnown: false,
    };
    this.#held.set(key, held);
    this.#tellGuarded();
    held.opening.then(
      (opened) => {
        held.opened = opened;
        this.#tellGuarded();
      },
      // If a session cannot be opened, the caller gets the error, and the next call tries again.
      () => this.#held.delete(key),
    );
    return held;
  }

  /** Makes the table of guards anew soon after a call, since modules may register hooks at any time. */
  #lookAgain(): void {
    if (this.#parts.guarded === undefined) return;
    this.#look ??= setTimeout(() => {
      this.#look = undefined;
      this.#tellGuarded();
    }, LOOK_MS).unref();
  }

  #tellGuarded(): void {
    const { guarded } = this.#parts;
    // If no session is left, the table keeps its last content.
    if (guarded === undefined || this.#held.size === 0) return;
    guarded(new ClosedTable([...this.#held.values()].map(({ host, opened = UNKNOWN }) => ({ host, session: opened }))));
  }
}

/** Stands for a session that is still being opened, any of whose events may be guarded. */
const UNKNOWN = { refusal: undefined, looked: undefined, listens: () => true, isHeld: () => true } as const;

function keyOf({ name }: Pick<BridgeHost, "name">, id: string): string {
  return `${name}\0${id}`;
}
