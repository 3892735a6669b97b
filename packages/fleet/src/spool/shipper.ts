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

/** How soon a failed attempt is repeated, and how late at most, in ms. */
const RETRY_MS = 2000;
const MOST_RETRY_MS = 60_000;
/** How often the whole spool is looked through, in ms. */
const LOOK_MS = 10 * 60_000;

/** The spool to send, and its connection. */
export interface ShipperOptions {
  readonly spool: SpoolOptions;
  readonly link: Pick<Link, "begin" | "ready" | "whenConnected" | "connection">;
}

/**
 * Sends what a spool has, in the background: batches of this process as they are sealed and, at each new connection and
 * every few minutes, what others have left that have ended. Nothing is lost when it fails; it is tried again.
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
  /** Why the last attempt has failed. */
  problem: string | undefined;

  constructor(options: ShipperOptions) {
    this.#options = options;
    this.#clock = options.spool.clock;
    this.#unfollow = options.link.whenConnected(() => {
      // A server that was away may have lost what it had acknowledged.
      this.#looked = undefined;
      this.ship();
    });
  }

  /** Takes a writer of this process in. */
  add(place: WriterPlace): void {
    this.#readers.set(place.writer, new SpoolReader(place));
  }

  /** Sends what there is as soon as the connection is there. */
  ship(): void {
    if (this.#isClosed) return;
    this.#isWanted = true;
    this.#options.link.begin();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Sends what this process has sealed, for so long at most, and then no more. What is left stays in the spool. */
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
      // It is called again when the connection is there.
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

  /** Sends what was left by writers that have ended, and removes what need not be kept. */
  async #sendLeft(options: ShipOptions): Promise<void> {
    const { folder, mostBytes, clock } = this.#options.spool;
    const ended = recoverSpool(this.#options.spool);
    for (const writer of ended) {
      await send(new SpoolReader(writerPlace(folder, writer)), options);
      // Long spools are read without holding up the agent for more than one file.
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
