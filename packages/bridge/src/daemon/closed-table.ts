import { MOST_LINES, TABLE_HEAD } from "../client/place.ts";
import type { BridgeHost } from "../host/host.ts";
import type { Looked } from "./looked.ts";
import type { BridgeSession } from "./session.ts";

/** A session and whose it is. */
interface Opened {
  readonly host: BridgeHost;
  readonly session: Pick<BridgeSession, "listens" | "isHeld" | "refusal" | "looked">;
}

/**
 * Which guarding events of the hosts may go on without a daemon, as of the last load, and what must be unchanged for that
 * (`place.ts`). Clients read it when they get no answer. What it does not say to be open is closed.
 */
export class ClosedTable {
  readonly #opened: readonly Opened[];

  constructor(opened: readonly Opened[]) {
    this.#opened = opened;
  }

  /** The table; nothing where a client could not rely on it. */
  get text(): string | undefined {
    const all = this.#opened.map(({ session }) => session.looked);
    const variables = new Set(all.map((looked) => looked?.variables.join("\n")));
    if (variables.size !== 1 || !all.every((looked) => looked?.isSteady === true)) return undefined;
    // Each search saw what there was at its time; the last one decides.
    const paths = new Map(all.flatMap((looked) => [...(looked as Looked).paths]));
    const lines = [TABLE_HEAD, ...this.#events(), ...(all[0]?.variables ?? []), ...paths.values(), "end"];
    const isWhole = lines.length <= MOST_LINES && lines.every((line) => !/[\n\r\0]/.test(line));
    return isWhole ? lines.map((line) => `${line}\n`).join("") : undefined;
  }

  /** One line an event: `open`, `own` where only the person's and the project's hooks guard it, else `closed`. */
  #events(): string[] {
    const hosts = new Map(this.#opened.map(({ host }) => [host.name, host]));
    return [...hosts.values()].flatMap((host) => {
      const sessions = this.#opened.flatMap((one) => (one.host.name === host.name ? [one.session] : []));
      return Object.entries(host.events).flatMap(([event, { guard, moments }]) => {
        if (!guard) return [];
        const hangs = sessions.some((session) => session.refusal !== undefined || session.listens(moments));
        const isHeld = sessions.some((session) => session.refusal !== undefined || session.isHeld(moments));
        return [`${hangs ? (isHeld ? "closed" : "own") : "open"} ${host.name} ${event}`];
      });
    });
  }
}
