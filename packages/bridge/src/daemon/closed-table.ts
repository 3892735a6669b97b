import { MOST_LINES, TABLE_HEAD } from "../client/place.ts";
import type { BridgeHost } from "../host/host.ts";
import type { Looked } from "./looked.ts";
import type { BridgeSession } from "./session.ts";

interface Opened {
  readonly host: BridgeHost;
  readonly session: Pick<BridgeSession, "listens" | "isHeld" | "refusal" | "looked">;
}

/**
 * Makes the table of guards, by which guarding events may go on without a daemon (`place.ts`). The table holds while no
 * path or variable in it changes. Clients read it when they get no answer; an event that is not listed is closed.
 */
export class ClosedTable {
  readonly #opened: readonly Opened[];

  constructor(opened: readonly Opened[]) {
    this.#opened = opened;
  }

  /** The text of the table's file; `undefined` if clients could miss a guard that is added later. */
  get text(): string | undefined {
    const all = this.#opened.map(({ session }) => session.looked);
    const variables = new Set(all.map((looked) => looked?.variables.join("\n")));
    if (variables.size !== 1 || !all.every((looked) => looked?.isSteady === true)) return undefined;
    // Sessions opened at different times may have recorded a path in different states; the last one counts.
    const paths = new Map(all.flatMap((looked) => [...(looked as Looked).paths]));
    const lines = [TABLE_HEAD, ...this.#events(), ...(all[0]?.variables ?? []), ...paths.values(), "end"];
    const isWhole = lines.length <= MOST_LINES && lines.every((line) => !/[\n\r\0]/.test(line));
    return isWhole ? lines.map((line) => `${line}\n`).join("") : undefined;
  }

  /** Returns a line per guarding event: `open` if no hook guards it, `own` if none does in a pause, else `closed`. */
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
