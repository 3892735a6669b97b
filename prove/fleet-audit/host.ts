import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { busOf } from "../../packages/fleet/src/link/bus.ts";
import { writerPlace } from "../../packages/fleet/src/spool/place.ts";
import { SpoolReader } from "../../packages/fleet/src/spool/reader.ts";
import { recoverSpool } from "../../packages/fleet/src/spool/recover.ts";
import { shipWriter } from "../../packages/fleet/src/spool/ship.ts";
import { SpoolWriter } from "../../packages/fleet/src/spool/writer.ts";
import { connectTo } from "../../packages/fleet/test/support/bare-server.ts";
import { dice } from "../stage/dice.ts";
import { FLEET, lossy, MACHINE, spoolIn } from "./machine.ts";

/**
 * An agent of a fleet that decides endlessly until it is killed. It spools decisions, prints the number of each one
 * that is on disk, and sends batches meanwhile, also those of agents that were killed before.
 */
const { folder, url, seed, share } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  readonly url: string;
  readonly seed: number;
  /** The share of the server's answers that are lost. */
  readonly share: number;
};
const chance = dice(seed);
const options = spoolIn(folder);
const writer = new SpoolWriter(options);
const ended = recoverSpool(options);
void send();

for (let n = 1; ; ) {
  let last = 0;
  try {
    for (const end = n + 1 + chance.below(4); n < end; n++) {
      writer.write(`${JSON.stringify({ writer: writer.place.writer, n, text: "x".repeat(chance.below(2000)) })}\n`);
      last = n;
    }
  } catch {
    // The disk is full. Decisions that were written before still count.
    await sleep(5);
  }
  const isKept = await writer.flush().then(
    () => true,
    () => false,
  );
  if (isKept && last > 0) writeSync(1, `${writer.place.writer} ${last}\n`);
  await sleep(chance.below(10));
}

async function send(): Promise<void> {
  const connection = await connectTo(url);
  const bus = lossy(await busOf(connection, 300), share, chance);
  const readers = [writer.place, ...ended.map((one) => writerPlace(folder, one))].map(
    (place) => new SpoolReader(place),
  );
  for (;;) {
    for (const reader of readers)
      await shipWriter(reader, { fleet: FLEET, machine: MACHINE, token: options.token, bus, clock: options.clock });
    await sleep(chance.below(10));
  }
}
