import type { Clock, Timer } from "../kit.ts";
import type { Link } from "../link/link.ts";
import { spread } from "../link/spread.ts";
import { namesOf } from "../name/subjects.ts";
import type { SignedManifest } from "../policy/manifest.ts";
import type { Creds } from "../sign/creds.ts";
import { TOKEN_HEADER } from "../wire/question.ts";
import { Backlog } from "./backlog.ts";
import { type Presence, writePresence } from "./presence.ts";

/** How often a machine announces itself, in ms, varied each time by up to `SPREAD` of it. */
const EVERY_MS = 30_000;
const SPREAD = 0.3;

/** Dependencies for announcing a machine. */
export interface AnnouncerParts {
  readonly link: Pick<Link, "serve" | "publish">;
  readonly creds: Pick<Creds, "fleet" | "machine" | "token" | "key">;
  readonly clock: Clock;
  readonly everyMs?: number;
  /** Returns the facts to announce; `undefined` while there are none. */
  facts(): Omit<Presence, "v" | "machine" | "t"> | undefined;
}

/** Announces a machine in the background: when it connects, and about every 30 s from then on. */
export class Announcer {
  readonly #parts: AnnouncerParts;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
    parts.link.serve(() => this.say());
  }

  /** Announces the machine now, because its facts have changed. */
  say(): void {
    const { link, creds, clock, everyMs = EVERY_MS, facts } = this.#parts;
    if (this.#isClosed) return;
    this.#timer?.cancel();
    this.#timer = clock.timer(spread(everyMs, SPREAD), () => this.say());
    const { fleet, machine, token } = creds;
    const told = facts();
    if (told === undefined) return;
    const presence: Presence = { v: 1, machine, t: clock.wall(), ...told };
    const subject = `$KV.${namesOf(fleet).buckets.presence}.${machine}`;
    link.publish(subject, writePresence(presence, creds), { [TOKEN_HEADER]: token });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }
}

/** Sources of the facts in a machine's presence. */
export interface Announced {
  readonly link: Link;
  readonly creds: Creds;
  /** Returns the bundle in use; `undefined` while there is none. */
  bundle(): SignedManifest | undefined;
  readonly clock: Clock;
  /** The version of hookline. */
  readonly version: string;
  /** The folder of the spool, for machines that keep decisions. */
  readonly spool?: string;
}

/** Announces a machine with its policy and the backlog of its spool. */
export function announced({ link, creds, bundle, clock, version, spool }: Announced): Announcer {
  const backlog = spool === undefined ? undefined : new Backlog(spool);
  return new Announcer({
    link,
    creds,
    clock,
    facts() {
      const now = bundle();
      if (now === undefined) return undefined;
      const { digest, manifest } = now;
      const held = { version: manifest.version, digest, hooks: manifest.hooks.length };
      const left = backlog?.at(clock.wall());
      return {
        hookline: version,
        channel: manifest.channel,
        bundle: held,
        ...(left !== undefined && { spool: left }),
      };
    },
  });
}
