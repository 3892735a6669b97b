import { createServer, type Server } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "@hookline/runtime/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
    // Whoever listens in the place of the server counts who comes, and lets nobody in.
    const tries: number[] = [];
    const inItsPlace: Server = createServer((socket) => {
      tries.push(performance.now());
      socket.destroy();
    });
    await new Promise<void>((resolve) => inItsPlace.listen(fleet.port, "127.0.0.1", resolve));
    const began = performance.now();
    await wait(8000);
    const soon = tries.filter((at) => at < began + 1500).length;
    // Every 250 ms would be 32.
    expect(soon).toBeGreaterThan(0);
    expect(tries.length).toBeLessThan(24);
    await new Promise((resolve) => inItsPlace.close(resolve));
    await fleet.startServer();
    await expect.poll(() => link.isConnected, { timeout: 20_000 }).toBe(true);
    link.close();
  });
});
