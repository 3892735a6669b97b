import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { storedIn } from "../../src/audit/read.ts";
import { Verifier } from "../../src/audit/verify.ts";
import { busOf } from "../../src/link/bus.ts";
import { makeStream } from "../../src/spool/make-stream.ts";
import { SpoolReader } from "../../src/spool/reader.ts";
import { shipWriter } from "../../src/spool/ship.ts";
import { type SpoolOptions, SpoolWriter } from "../../src/spool/writer.ts";
import { keyOf } from "../policy/sample.ts";
import { connectTo, natsServer } from "../support/bare-server.ts";
import { Cluster } from "../support/cluster.ts";

const WAIT = { timeout: 60_000 } as const;

describe.skipIf(natsServer === undefined)("a cluster of three servers", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-cluster-"));
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start(folder, (name) => `jetstream { store_dir: ${JSON.stringify(join(folder, name))} }`);
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("has every acknowledged batch after one of them was killed, and takes more", async () => {
    const setup = await connectTo(cluster.hosts);
    // The servers choose a leader among them first.
    await expect
      .poll(
        () =>
          makeStream(setup, { fleet: "acme", replicas: 3 }).then(
            () => true,
            () => false,
          ),
        WAIT,
      )
      .toBe(true);
    await setup.close();
    const spool: SpoolOptions = {
      folder: join(folder, "spool"),
      fleet: "acme",
      machine: "m1",
      key: keyOf(7),
      token: "none",
      clock: systemClock,
    };
    const writer = new SpoolWriter(spool);
    const reader = new SpoolReader(writer.place);
    const add = async (text: string): Promise<void> => {
      writer.write(`${text}\n`);
      await writer.flush();
    };
    const ship = async (hosts: string[]) => {
      const connection = await connectTo(hosts);
      try {
        return await shipWriter(reader, { ...spool, bus: await busOf(connection) });
      } finally {
        await connection.close();
      }
    };
    for (let n = 1; n <= 20; n++) await add(`before ${n}`);
    await expect.poll(async () => (await ship(cluster.hosts)).acked, WAIT).toBe(20);
    const [, ...left] = cluster.hosts;
    await cluster.kill(0);
    for (let n = 1; n <= 20; n++) await add(`after ${n}`);
    // If it was the stream's leader, the others choose another one first.
    await expect.poll(async () => (await ship(left)).acked, WAIT).toBe(40);
    await writer.close();
    const connection = await connectTo(left);
    const bus = await busOf(connection);
    const inStream = async () => {
      const contents: string[] = [];
      const verifier = new Verifier("acme", () => keyOf(7));
      for await (const stored of storedIn(bus, "acme")) contents.push(`${verifier.take(stored)?.content}`.trim());
      return { contents, faults: verifier.faults };
    };
    const all = ["before", "after"].flatMap((when) => Array.from({ length: 20 }, (_, i) => `${when} ${i + 1}`));
    // The server that answers a read may be a little behind the one that has acknowledged.
    await expect.poll(inStream, WAIT).toEqual({ contents: all, faults: [] });
    await connection.close();
  });
});
