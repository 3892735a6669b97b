import { join } from "node:path";
import { Refused } from "../packages/fleet/src/policy/refused.ts";
import { natsServer } from "../packages/fleet/test/support/bare-server.ts";
import { messageOf } from "../packages/ground/src/error/error.ts";
import type { Claim } from "./claim.ts";
import { CHANGES, heldBy } from "./fleet-policy/disk.ts";
import { LyingServer } from "./fleet-policy/lying.ts";
import { Machine, publication, signed } from "./fleet-policy/machine.ts";
import { OFFERS } from "./fleet-policy/offers.ts";
import { ROOTS } from "./fleet-policy/roots.ts";
import { mountDisk } from "./soak/disk.ts";
import { mixedDice } from "./stage/dice.ts";
import { type Experiment, findingOf, type Tally } from "./stage/experiment.ts";
import { folder } from "./stage/ground.ts";
import { schedules } from "./stage/schedules.ts";
import { newSeed } from "./stage/seed.ts";

/** Number of trials of each fault. */
const FULL = 200;
const QUICK = 1;

/**
 * Runs trials with their own seeds. HOOKLINE_SEED with a trial's number makes that one the first trial of each fault.
 */
async function trials(
  tally: Tally,
  full: boolean,
  faults: readonly string[],
  one: (fault: string, seed: number) => Promise<string | undefined>,
) {
  const first = newSeed();
  const count = full ? FULL : QUICK;
  for (const fault of faults)
    for (let seed = first; seed < first + count; seed++) {
      const problem = await one(fault, seed).catch((thrown: unknown) => `it broke off: ${thrown}`);
      tally.trial(problem && `${fault}, HOOKLINE_SEED=${seed}: ${problem}`);
    }
  tally.figure(`${faults.length} faults, seeds ${first} to ${first + count - 1}`);
}

/** Returns the fault if something is not refused in words. */
async function refused(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
    return "it was taken";
  } catch (thrown) {
    return thrown instanceof Refused ? undefined : `it broke: ${thrown}`;
  }
}

const offered: Experiment = {
  id: "a bundle that is offered",
  run: (tally, { full }) =>
    trials(tally, full, Object.keys(OFFERS), async (fault, seed) => {
      const chance = mixedDice(seed);
      using machine = new Machine();
      const version = 2 + chance.below(50);
      const [first, next] = [publication(chance, version), publication(chance, version + 1 + chance.below(9))];
      await machine.take(signed(first), first.blobs);
      const offer = OFFERS[fault]?.({ dice: chance, version, next });
      if (offer === undefined) return "there is no such offer";
      const taken = await refused(() => machine.take(offer.envelope, offer.blobs, offer.now));
      if (taken !== undefined) return taken;
      if (machine.version() !== version) return `version ${machine.version()} is in use, not ${version}`;
      if (machine.bundles().length !== 1) return `something is left behind: ${machine.bundles()}`;
      const later = publication(chance, next.manifest.version + 1);
      await machine.take(signed(later), later.blobs);
      return machine.version() === later.manifest.version ? undefined : "the good one behind it was not taken";
    }),
};

const changed: Experiment = {
  id: "a bundle that was changed on disk",
  run: (tally, { full }) =>
    trials(tally, full, Object.keys(CHANGES), async (fault, seed) => {
      const chance = mixedDice(seed);
      using machine = new Machine();
      const first = publication(chance, 1);
      await machine.take(signed(first), first.blobs);
      CHANGES[fault]?.(heldBy(machine, chance));
      return refused(() => machine.version());
    }),
};

/** A machine whose disk is nearly full when a newer version comes must keep a complete version. */
const filled: Experiment = {
  id: "a disk that is full",
  async run(tally, { full }) {
    using place = folder();
    const home = join(place.path, "home");
    using disk = mountDisk(home, 1 << 20);
    if (disk === undefined) return tally.skip("mounting is not permitted");
    let failed = 0;
    await schedules(tally, full ? FULL : QUICK * 20, async (dice, seed) => {
      using machine = new Machine(join(home, `${seed}`));
      const [first, next] = [publication(dice, 1), publication(dice, 2)];
      await machine.take(signed(first), first.blobs);
      disk.fill(dice.below(10));
      const problem = await machine.take(signed(next), next.blobs).then(
        () => undefined,
        (thrown: unknown) => messageOf(thrown),
      );
      // The version that the next start would load, while the disk is still full.
      const found = machine.version();
      const kept = machine.bundles();
      disk.free();
      // A complete bundle that could not be put into use may stay; a partial one may not.
      if (kept.some((name) => name.startsWith("."))) return `a part of a bundle is left behind: ${kept}`;
      if (problem !== undefined) failed += 1;
      if (problem?.includes("ENOSPC") === false) return `it was not told that the disk is full: ${problem}`;
      if (found !== (problem === undefined ? 2 : 1)) return `version ${found} is in use, after: ${problem}`;
      await machine.take(signed(next), next.blobs);
      return machine.version() === 2 ? undefined : "it was not taken when there was room again";
    });
    tally.figure(`${failed} times there was no room`);
    if (full && failed === 0) tally.trial("there was always room");
  },
};

const rotated: Experiment = {
  id: "a root",
  run: (tally, { full }) =>
    trials(tally, full, Object.keys(ROOTS), async (fault, seed) => {
      using machine = new Machine();
      return refused(() => ROOTS[fault]?.(mixedDice(seed), machine.root));
    }),
};

const published: Experiment = {
  id: "a server that lies",
  async run(tally, { full }) {
    if (natsServer === undefined) return tally.skip("nats-server is not installed");
    await using lying = await LyingServer.start();
    const first = newSeed();
    for (let seed = first; seed < first + (full ? FULL : QUICK * 6); seed++) {
      const problem = await lying.trial(mixedDice(seed)).catch((thrown: unknown) => `it broke off: ${thrown}`);
      tally.trial(problem && `HOOKLINE_SEED=${seed}: ${problem}`);
    }
    tally.figure(`seeds from ${first} on`);
  },
};

export const claim: Claim = {
  name: "fleet-policy",
  says: "no machine of a fleet takes a bundle that the pinned root did not sign, or an older one than it has seen",
  run: (size) => findingOf([offered, changed, filled, rotated, published], size),
};
