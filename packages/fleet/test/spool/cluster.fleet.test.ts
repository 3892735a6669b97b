import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@hookline/runtime/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storedIn } from "../../src/audit/read.ts";
import { Verifier } from "../../src/audit/verify.ts";
import { busOf } from "../../src/link/bus.ts";
import { freePort, type NatsServer, startNats } from "../../src/server/nats.ts";
import { makeStream } from "../../src/spool/make-stream.ts";
import { SpoolReader } from "../../src/spool/reader.ts";
import { shipWriter } from "../../src/spool/ship.ts";
import { type SpoolOptions, SpoolWriter } from "../../src/spool/writer.ts";
import { keyOf } from "../policy/sample.ts";
import { connectTo, natsServer } from "../support/bare-server.ts";

const NAMES = ["one", "two", "three"] as const;
const WAIT = { timeout: 60_000 } as const;

describe.skipIf(natsServer === undefined)("a cluster of three servers", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-cluster-"));
  const servers: NatsServer[] = [];

  beforeAll(async () => {
    // At once, so that none is given out twice.
    const free = await Promise.all([...NAMES, ...NAMES].map(() => freePort()));
    const [ports, routes] = [free.slice(0, NAMES.length), free.slice(NAMES.length)];
    const urls = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
    for (const [i, name] of NAMES.entries()) {
      const config = join(folder, `${name}.conf`);
      const store = JSON.stringify(join(folder, name));
      writeFileSync(
        config,
        `server_name: ${name}\njetstream { store_dir: ${store} }\ncluster { name: c, listen: "127.0.0.1:${routes[i]}", routes: [${urls}] }\n`,
      );
      servers.push(await startNats(config, { port: ports[i] ?? 0, env: process.env }));
    }
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop("SIGKILL")));
    rmSync(folder, { recursive: true, force: true });
  });
  const connect = (only = servers) => connectTo(only.map(({ port }) => `127.0.0.1:${port}`));

  test("has every acknowledged batch after one of them was killed, and takes more", { timeout: 240_000 }, async () => {
    const setup = await connect();
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
    const ship = async (only: NatsServer[]) => {
      const connection = await connect(only);
      try {
        return await shipWriter(reader, { ...spool, bus: await busOf(connection) });
      } finally {
        await connection.close();
      }
    };
    for (let n = 1; n <= 20; n++) await add(`before ${n}`);
    await expect.poll(async () => (await ship(servers)).acked, WAIT).toBe(20);
    const [killed, ...left] = servers as [NatsServer, ...NatsServer[]];
    await killed.stop("SIGKILL");
    for (let n = 1; n <= 20; n++) await add(`after ${n}`);
    // If it was the stream's leader, the others choose another one first.
    await expect.poll(async () => (await ship(left)).acked, WAIT).toBe(40);
    await writer.close();
    const connection = await connect(left);
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
