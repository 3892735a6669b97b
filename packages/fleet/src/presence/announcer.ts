import type { Clock, Timer } from "../kit.ts";
import type { Link } from "../link/link.ts";
import { spread } from "../link/spread.ts";
import { namesOf } from "../name/subjects.ts";
import type { SignedManifest } from "../policy/manifest.ts";
import type { Creds } from "../sign/creds.ts";
import { TOKEN_HEADER } from "../wire/question.ts";
import { Backlog } from "./backlog.ts";
import { type Presence, writePresence } from "./presence.ts";

/** How often a machine says that it is there, in ms; each time up to so large a part earlier or later. */
const EVERY_MS = 30_000;
const SPREAD = 0.3;

/** Parts for announcing a machine. */
export interface AnnouncerParts {
  readonly link: Pick<Link, "serve" | "publish">;
  readonly creds: Pick<Creds, "fleet" | "machine" | "token" | "key">;
  readonly clock: Clock;
  readonly everyMs?: number;
  /** Returns nothing while there are no facts. */
  facts(): Omit<Presence, "v" | "machine" | "t"> | undefined;
}

/** Says that a machine is there when it is connected, and from then on about every 30 s. Nobody waits for it. */
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

/** The facts that a machine's presence is made of. */
export interface Announced {
  readonly link: Link;
  readonly creds: Creds;
  /** The bundle in use; nothing while there is none. */
  bundle(): SignedManifest | undefined;
  readonly clock: Clock;
  /** The version of hookline. */
  readonly version: string;
  /** The folder of the spool, for machines that keep decisions. */
  readonly spool?: string;
}

/** Announces that a machine is there, its policy, and how much of its spool is left. */
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
