import { createPrivateKey } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "../../packages/fleet/src/link/bus.ts";
import { signingKeyOf } from "../../packages/fleet/src/policy/key.ts";
import type { SpoolOptions } from "../../packages/fleet/src/spool/writer.ts";
import { systemClock } from "../../packages/ground/src/time/system-clock.ts";
import type { Dice } from "../stage/dice.ts";

/** The name of the fleet of all trials. */
export const FLEET = "acme";
export const MACHINE = "m1";

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
/** The machine's key, the same in all of its processes. */
export const KEY = signingKeyOf(
  createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.alloc(32, 7)]), format: "der", type: "pkcs8" }),
);

export function spoolIn(folder: string): SpoolOptions {
  return { folder, fleet: FLEET, machine: MACHINE, key: KEY, token: "none", clock: systemClock };
}

/** Makes a bus that loses some of the server's answers, after the server has received the message. */
export function lossy(bus: Bus, share: number, dice: Dice): Bus {
  return {
    ...bus,
    async request(subject, data, headers) {
      const reply = await bus.request(subject, data, headers);
      if (dice.chance(share)) throw new Error("the answer was lost");
      return reply;
    },
  };
}

/** Makes a bus whose first message arrives so late that the server has forgotten the ids of earlier messages. */
export function late(bus: Bus, windowMs: number): Bus {
  let isFirst = true;
  return {
    ...bus,
    async request(subject, data, headers) {
      if (headers !== undefined && isFirst) {
        isFirst = false;
        await sleep(windowMs + 100);
      }
      return bus.request(subject, data, headers);
    },
  };
}
