import { setTimeout as wait } from "node:timers/promises";
import type { Dice } from "../stage/dice.ts";
import type { BridgePlace } from "./place.ts";

/** Makes calls of all kinds at once, each with this deadline; returns what was wrong. */
export type Ask = (deadlineMs: number, width?: number) => Promise<string[]>;

/**
 * Causes a fault of the daemon while calls are made, and repairs it afterwards; returns what was wrong with the calls.
 */
export type Fault = (place: BridgePlace, ask: Ask, dice: Dice) => Promise<string[]>;

/** Deadline in ms that is long enough for a daemon to start on a busy machine. */
export const PATIENT_MS = 30_000;
/** Deadline of an impatient host, in ms. */
const SOON_MS = 300;

/** The faults by name, as the notes show them. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  "killed while it is asked": async (place, ask, dice) => {
    const asked = ask(PATIENT_MS);
    await wait(dice.below(40));
    place.signal("SIGKILL");
    return asked;
  },

  "killed, and none can be started": async (place, ask) => {
    place.signal("SIGKILL");
    const restore = place.uninstall();
    const problems = await ask(SOON_MS);
    restore();
    place.forgetStart();
    return problems;
  },

  hung: async (place, ask, dice) => {
    place.signal("SIGSTOP");
    const problems = await ask(SOON_MS);
    place.signal(dice.chance(0.5) ? "SIGCONT" : "SIGKILL");
    return problems;
  },

  "replaced while it is asked": async (place, ask, dice) => {
    const asked = ask(PATIENT_MS);
    await wait(dice.below(40));
    await place.replace();
    return asked;
  },

  "spoken to by another version": async (place, ask) => {
    const [answered, problems] = await Promise.all([place.speakOther(), ask(PATIENT_MS)]);
    return answered === 0 ? problems : [...problems, `a client of another version was answered ${answered} bytes`];
  },

  "asked fifty times at once": (_, ask) => ask(PATIENT_MS, 50),

  "another user's": async (place, ask, dice) => {
    const canGiveAway = process.getuid?.() === 0;
    const leave = await place.impersonate(canGiveAway && dice.chance(0.5) ? "user" : "folder");
    const problems = await ask(SOON_MS);
    await leave();
    return problems;
  },

  "without room on the disk": async (place, ask) => {
    const empty = place.fillDisk();
    const problems = await ask(PATIENT_MS);
    place.signal("SIGKILL");
    problems.push(...(await ask(PATIENT_MS)));
    empty();
    return problems;
  },
};
