import { createServer, type Server } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { Link } from "../../src/link/link.ts";
import { hasNats, TestFleet } from "../support/fleet.ts";

describe.skipIf(!hasNats)("a connection that was lost", () => {
  let fleet: TestFleet;

  beforeAll(async () => {
    fleet = await TestFleet.start();
  });
  afterAll(() => fleet.stop());

  test("is tried again at once, then less and less often, and is there soon after the server is", async () => {
    const link = new Link({ url: fleet.url, creds: await fleet.creds("laptop-1", "agent"), clock: systemClock });
    expect(await link.ready(10_000)).toBe(true);
    await fleet.killServer();
    // A listener in the server's place counts the connections, and accepts none.
    let tries = 0;
    const inItsPlace: Server = createServer((socket) => {
      tries += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inItsPlace.listen(fleet.port, "127.0.0.1", resolve));
    /** Waits in steps: while this process gets no time, it neither counts nor tries. */
    const pass = async (ms: number): Promise<void> => {
      for (let step = 0; step < ms; step += 10) await wait(10);
    };
    const began = performance.now();
    await pass(1500);
    expect(tries).toBeGreaterThan(0);
    await pass(6500);
    // Every 250 ms would be 32 in 8 seconds.
    expect(tries).toBeLessThan((24 / 8000) * (performance.now() - began));
    await new Promise((resolve) => inItsPlace.close(resolve));
    await fleet.startServer();
    await expect.poll(() => link.isConnected).toBe(true);
    link.close();
  });
});
