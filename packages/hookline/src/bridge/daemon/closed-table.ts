import type { BridgeHost } from "../host.ts";
import type { BridgeSession } from "./session.ts";

/** A session and whose it is. */
interface Opened {
  readonly host: BridgeHost;
  readonly session: Pick<BridgeSession, "listens" | "refusal">;
}

/**
 * Which guarding events of the hosts may go on without a daemon, as of the last load. Clients read it when they get no
 * answer. Only what is said to be open is open: a table that is not there, that was cut off, or that does not know a
 * host, refuses.
 */
export class ClosedTable {
  readonly #opened: readonly Opened[];

  constructor(opened: readonly Opened[]) {
    this.#opened = opened;
  }

  /** One line an event: `open HOST EVENT` or `closed HOST EVENT`. */
  get text(): string {
    const hosts = new Map(this.#opened.map(({ host }) => [host.name, host]));
    const lines = [...hosts.values()].flatMap((host) => {
      const sessions = this.#opened.flatMap((one) => (one.host.name === host.name ? [one.session] : []));
      return Object.entries(host.events).flatMap(([event, { guard, moments }]) => {
        if (!guard) return [];
        const hangs = sessions.some((session) => session.refusal !== undefined || session.listens(moments));
        return [`${hangs ? "closed" : "open"} ${host.name} ${event}\n`];
      });
    });
    return lines.join("");
  }
}
