import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { storedIn } from "../../src/audit/read.ts";
import { Verifier } from "../../src/audit/verify.ts";
import { type Bus, busOf } from "../../src/link/bus.ts";
import type { Stored } from "../../src/link/stream.ts";
import { makeStream } from "../../src/spool/make-stream.ts";
import { SpoolReader } from "../../src/spool/reader.ts";
import { shipWriter } from "../../src/spool/ship.ts";
import { SpoolWriter } from "../../src/spool/writer.ts";
import { keyOf, strangerKey } from "../policy/sample.ts";
import { BareServer, natsServer } from "../support/bare-server.ts";

const key = keyOf(7);
const clock = systemClock;

describe.skipIf(natsServer === undefined)("batches on a server", () => {
  const server = new BareServer();
  const folder = mkdtempSync(join(tmpdir(), "hookline-ship-"));
  let connection: NatsConnection;
  let bus: Bus;
  beforeAll(async () => {
    await server.start();
    connection = await server.connect();
    bus = await busOf(connection);
    await makeStream(connection, { fleet: "acme", windowMs: 100 });
  });
  afterAll(async () => {
    await connection?.close();
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const writerOf = () => new SpoolWriter({ folder, fleet: "acme", machine: "m1", key, token: "", clock });
  const ship = (reader: SpoolReader, over: Bus = bus) =>
    shipWriter(reader, { fleet: "acme", machine: "m1", token: "", bus: over, clock });
  const stored = async (): Promise<Stored[]> => {
    const all: Stored[] = [];
    for await (const one of storedIn(bus, "acme")) all.push(one);
    return all;
  };
  const verified = async (ofKey = key) => {
    const verifier = new Verifier("acme", (machine) => (machine === "m1" ? ofKey : undefined));
    for (const one of await stored()) verifier.take(one);
    return verifier;
  };

  test("go on behind what the stream has, whatever was lost on the way, and each is there once", async () => {
    const writer = writerOf();
    const reader = new SpoolReader(writer.place);
    const more = async (count: number) => {
      for (let i = 0; i < count; i++) {
        writer.write(`decision ${i}\n`);
        await writer.flush();
      }
    };
    await more(2);
    expect(await ship(reader)).toEqual({ acked: 2, sealed: 2 });
    // Every second answer gets lost, after the server has taken what was sent.
    let requests = 0;
    const lossy: Bus = {
      ...bus,
      request: async (...sent) => {
        const reply = await bus.request(...sent);
        requests += 1;
        if (requests % 2 === 0) throw new Error("the answer was lost");
        return reply;
      },
    };
    await more(4);
    for (let tries = 0; tries < 20 && (await ship(reader, lossy)).problem !== undefined; ) tries++;
    // Beyond the window in which the server knows ids, and from a second sender at the same time.
    await new Promise((resolve) => setTimeout(resolve, 250));
    await more(2);
    const both = await Promise.all([
      ship(new SpoolReader(writer.place)),
      ship(reader),
      ship(new SpoolReader(writer.place)),
    ]);
    expect(both.map(({ acked }) => acked)).toEqual([8, 8, 8]);
    await writer.close();
    const { faults, batches } = await verified();
    expect(faults).toEqual([]);
    expect(batches).toBe(8);
    const content = (await stored()).map(({ data }) => Buffer.from(data).toString().split("\n").slice(1).join("\n"));
    expect(content.join("")).toBe(readFileSync(writer.place.recording, "utf8"));
  });

  test("stay in the spool while the server is away or the stream is full, and go on afterwards", async () => {
    const writer = writerOf();
    const reader = new SpoolReader(writer.place);
    writer.write("while it is away\n");
    await writer.flush();
    await server.kill();
    expect((await ship(reader, await busOf(connection, 500))).problem).toBeDefined();
    await server.start();
    await expect.poll(async () => (await ship(reader)).problem).toBeUndefined();
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info("HL_acme_DEC");
    await makeStream(connection, { fleet: "acme", maxBytes: state.bytes + 10 });
    writer.write("while it is full\n");
    await writer.flush();
    expect(await ship(reader)).toMatchObject({
      acked: 1,
      sealed: 2,
      problem: expect.stringMatching(/the stream refused/),
    });
    await makeStream(connection, { fleet: "acme" });
    expect(await ship(reader)).toEqual({ acked: 2, sealed: 2 });
    await writer.close();
    expect((await verified()).faults).toEqual([]);
  });

  test("that are forged, duplicated or missing are reported", async () => {
    expect((await verified(strangerKey)).faults.map(({ kind }) => kind)).toContain("forged");
    const [first, second, ...rest] = await stored();
    if (first === undefined || second === undefined) throw new Error("nothing is stored");
    const faultsOf = (messages: readonly Stored[]) => {
      const verifier = new Verifier("acme", () => key);
      for (const one of messages) verifier.take(one);
      return verifier.faults.map(({ kind }) => kind);
    };
    expect(faultsOf([first, ...rest])).toContain("gap");
    expect(faultsOf([second])).toEqual(["gap"]);
    // If the stream has removed its oldest messages, a missing beginning is no fault.
    const aged = new Verifier("acme", () => key, 2);
    aged.take(second);
    expect([aged.faults, aged.expired.size]).toEqual([[], 1]);
    expect(faultsOf([first, first])).toEqual(["double"]);
    expect(faultsOf([{ ...first, subject: "hookline.acme.dec.m2.other" }])).toEqual(["forged"]);
    expect(faultsOf([{ ...first, data: Buffer.concat([first.data, Buffer.from("x")]) }])).toEqual(["forged"]);
  });
});
