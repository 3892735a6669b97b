import { writerPlace, writersIn } from "../spool/place.ts";
import { ackedOf, SpoolReader } from "../spool/reader.ts";
import type { Presence } from "./presence.ts";

/** Measures how much of a machine's spool the fleet's stream does not have yet; reads only what is new each time. */
export class Backlog {
  readonly #folder: string;
  readonly #readers = new Map<string, SpoolReader>();

  /** `folder` is the folder of the spool. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Counts the batches that were not acknowledged; `undefined` if there is no spool. `now` is in epoch ms. */
  at(now: number): Presence["spool"] {
    const writers = writersIn(this.#folder);
    if (writers.length === 0) return undefined;
    const kept = new Set(writers);
    for (const writer of this.#readers.keys()) if (!kept.has(writer)) this.#readers.delete(writer);
    const left = writers.flatMap((writer) => this.#left(writer));
    const oldest = Math.min(now, ...left.map(({ t }) => t));
    return { batches: left.length, bytes: left.reduce((sum, { bytes }) => sum + bytes, 0), oldestMs: now - oldest };
  }

  #left(writer: string): { readonly t: number; readonly bytes: number }[] {
    const reader = this.#readers.get(writer) ?? new SpoolReader(writerPlace(this.#folder, writer));
    this.#readers.set(writer, reader);
    const acked = ackedOf(reader.place).at(-1)?.n ?? 0;
    try {
      return reader.batches().flatMap(({ seal }) => (seal.n > acked ? [seal] : []));
    } catch {
      // A writer whose files cannot be read adds nothing to the backlog; `fleet audit verify` explains the fault.
      return [];
    }
  }
}
