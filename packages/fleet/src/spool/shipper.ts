import { setImmediate as turn } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Clock, messageOf, type Timer } from "../kit.ts";
import { busOf } from "../link/bus.ts";
import type { Link } from "../link/link.ts";
import { within } from "../link/within.ts";
import { type WriterPlace, writerPlace } from "./place.ts";
import { SpoolReader } from "./reader.ts";
import { recoverSpool, trimSpool } from "./recover.ts";
import { type ShipOptions, shipWriter } from "./ship.ts";
import type { SpoolOptions } from "./writer.ts";

/** `RETRY_MS` is the first wait before a failed attempt is repeated, in ms, and `MOST_RETRY_MS` the longest one. */
const RETRY_MS = 2000;
const MOST_RETRY_MS = 60_000;
/** How often the whole spool is searched for unsent batches, in ms. */
const LOOK_MS = 10 * 60_000;

/** The spool to send, and its connection. */
export interface ShipperOptions {
  readonly spool: SpoolOptions;
  readonly link: Pick<Link, "begin" | "ready" | "whenConnected" | "connection">;
}

/**
 * Sends a spool's batches in the background: those of this process as they are sealed and, at each new connection and
 * every few minutes, those that ended writers have left. A failed attempt loses nothing; it is repeated.
 */
export class Shipper {
  readonly #options: ShipperOptions;
  readonly #clock: Clock;
  readonly #readers = new Map<string, SpoolReader>();
  readonly #unfollow: () => void;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #looked: number | undefined;
  #retryMs = RETRY_MS;
  #retry: Timer | undefined;
  #isClosed = false;
  /** The reason why the last attempt failed. */
  problem: string | undefined;

  constructor(options: ShipperOptions) {
    this.#options = options;
    this.#clock = options.spool.clock;
    this.#unfollow = options.link.whenConnected(() => {
      // A server that was away may have lost batches that it had acknowledged, so the whole spool is searched again.
      this.#looked = undefined;
      this.ship();
    });
  }

  /** Adds a writer of this process, whose batches are sent from now on. */
  add(place: WriterPlace): void {
    this.#readers.set(place.writer, new SpoolReader(place));
  }

  /** Sends the waiting batches as soon as there is a connection. */
  ship(): void {
    if (this.#isClosed) return;
    this.#isWanted = true;
    this.#options.link.begin();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Sends what this process has sealed, for at most `mostMs`, and then stops. The rest stays in the spool. */
  async close(mostMs: number): Promise<void> {
    const { link } = this.#options;
    if (this.#readers.size > 0)
      await within({ link, clock: this.#clock, mostMs }, () => {
        this.ship();
        return this.#running;
      });
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#unfollow();
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      const { connection } = this.#options.link;
      // `ship` is called again when there is a connection.
      if (connection === undefined) return;
      try {
        await this.#sendAll(connection);
        this.problem = undefined;
        this.#retryMs = RETRY_MS;
      } catch (thrown) {
        this.problem = messageOf(thrown);
        if (this.#isClosed) return;
        this.#retry?.cancel();
        this.#retry = this.#clock.timer(this.#retryMs, () => this.ship());
        this.#retryMs = Math.min(this.#retryMs * 2, MOST_RETRY_MS);
      }
    }
  }

  async #sendAll(connection: NatsConnection): Promise<void> {
    const { fleet, machine, token, clock } = this.#options.spool;
    const options = { fleet, machine, token, clock, bus: await busOf(connection) };
    for (const [writer, reader] of [...this.#readers]) {
      const { hasEnded } = reader;
      await send(reader, options);
      if (hasEnded) this.#readers.delete(writer);
    }
    if (this.#looked !== undefined && clock.now() - this.#looked < LOOK_MS) return;
    this.#looked = clock.now();
    await this.#sendLeft(options);
  }

  /** Sends the batches that ended writers have left, and removes files that are no longer needed. */
  async #sendLeft(options: ShipOptions): Promise<void> {
    const { folder, mostBytes, clock } = this.#options.spool;
    const ended = recoverSpool(this.#options.spool);
    for (const writer of ended) {
      await send(new SpoolReader(writerPlace(folder, writer)), options);
      // A pause between files, so that a long spool does not block the agent.
      await turn();
      if (this.#isClosed) return;
    }
    trimSpool(folder, { ended, now: clock.wall(), mostBytes });
  }
}

async function send(reader: SpoolReader, options: ShipOptions): Promise<void> {
  const { problem } = await shipWriter(reader, options);
  if (problem !== undefined) throw new Error(problem);
}
