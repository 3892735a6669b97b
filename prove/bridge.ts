import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildClient } from "../scripts/bridge-client.ts";
import { FAULTS, PATIENT_MS } from "./bridge/faults.ts";
import { BridgePlace } from "./bridge/place.ts";
import type { Claim } from "./claim.ts";
import { type Dice, dice } from "./stage/dice.ts";
import { findingOf, type Tally } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";
import { newSeed } from "./stage/seed.ts";

/** The number of calls that are asked about at once, unless the fault gives another. */
const WIDTH = 6;

/** The number of times that a call is tried until the current daemon judges it. */
const MOST_TRIES = 20;

/** Number of rounds of faults. Each round has its own home folder and begins with another fault. */
const ROUNDS = { quick: 4, full: 60 } as const;
/** The number of faults that a round draws. */
const DRAWN = 2;

/**
 * Guards refuse or judge whatever happens to the daemon, observers cost nothing, and afterwards the daemon works
 * again.
 */
async function faults(tally: Tally, { full }: { readonly full: boolean }): Promise<void> {
  const seed = newSeed();
  const folder = mkdtempSync(join(tmpdir(), "hookline-prove-"));
  const met = new Map<string, number>();
  let judged = 0;
  try {
    const client = buildClient(folder);
    if (client === undefined) return tally.skip("the native client needs a C compiler");
    const rounds = Array.from({ length: full ? ROUNDS.full : ROUNDS.quick }, (_, round) => round);
    await each(rounds, 2, async (round) => {
      const throws = dice(seed + round);
      const place = new BridgePlace(client);
      try {
        place.addGuard();
        for (const name of drawn(round, throws)) {
          const before = place.judged().size;
          const problems = await meet(place, name, throws);
          met.set(name, (met.get(name) ?? 0) + 1);
          judged += place.judged().size - before;
          tally.trial(problems[0] === undefined ? undefined : `${name} (seed ${seed}): ${problems.join("; ")}`);
        }
      } finally {
        await place.close();
      }
    });
    for (const name of Object.keys(FAULTS)) if (!met.has(name)) tally.skip(name);
    tally.figure(`${judged} calls judged, all others refused; seed ${seed}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the faults of a round: the first ones in turn, so that none is left out, then a random one. */
function drawn(round: number, throws: Dice): string[] {
  const names = Object.keys(FAULTS);
  const inTurn = Array.from({ length: DRAWN }, (_, at) => names[(round * DRAWN + at) % names.length] as string);
  return [...inTurn, ...(round < names.length / DRAWN ? [] : [throws.pick(names)])];
}

/** Causes one fault, and checks before and after it that everything works. */
async function meet(place: BridgePlace, name: string, throws: Dice): Promise<string[]> {
  const fault = FAULTS[name];
  if (fault === undefined) return [`there is no ${name}`];
  const ask = async (deadlineMs: number, width = WIDTH): Promise<string[]> => {
    const asked = Array.from({ length: width }, async (_, at) => {
      if (at % 3 === 2) return place.observe(deadlineMs);
      return (await place.call(throws.chance(0.5) ? "forbidden" : "allowed", deadlineMs)).problem;
    });
    return (await Promise.all(asked)).filter((problem) => problem !== undefined);
  };
  return [
    ...(await works(place, "before")),
    ...(await fault(place, ask, throws)),
    ...(await works(place, "afterwards")),
  ];
}

/**
 * Makes an allowed and a forbidden call, which the guard itself must judge after a few tries: a daemon that is ending
 * may refuse first.
 */
async function works(place: BridgePlace, when: string): Promise<string[]> {
  const problems: string[] = [];
  for (const is of ["allowed", "forbidden"] as const) {
    for (let tries = 1; ; tries++) {
      const { problem, isJudged } = await place.call(is, PATIENT_MS);
      if (problem !== undefined) problems.push(`${when}: ${problem}`);
      if (isJudged || problem !== undefined) break;
      if (tries === MOST_TRIES) {
        problems.push(`${when} no ${is} call was judged in ${tries} tries`);
        break;
      }
      await wait(50);
    }
  }
  return problems;
}

/** Leftovers of an earlier session let nothing through that a guard of a later session judges. */
async function lateGuard(tally: Tally, { full }: { readonly full: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-prove-"));
  try {
    const client = buildClient(folder);
    if (client === undefined) return;
    for (const isFull of full ? [true, false, true, false] : [true]) {
      const place = new BridgePlace(client);
      try {
        await place.observe(PATIENT_MS);
        place.addGuard();
        const empty = isFull ? place.fillDisk() : () => {};
        const first = await place.call("forbidden", PATIENT_MS, "later");
        place.signal("SIGKILL");
        place.uninstall();
        const { problem } = await place.call("forbidden", 300, "later");
        empty();
        tally.trial(first.isJudged ? problem : "the guard of the later session was not asked");
      } finally {
        await place.close();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const claim: Claim = {
  name: "bridge",
  says: `in other agents no call runs unjudged and observers cost nothing, whichever of ${Object.keys(FAULTS).length} things happens to the daemon`,
  run: (size) =>
    findingOf(
      [
        { id: "faults", run: faults },
        { id: "a guard that comes later", run: lateGuard },
      ],
      size,
    ),
};
