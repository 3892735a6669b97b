import { natsServer } from "../packages/fleet/test/support/bare-server.ts";
import type { Claim } from "./claim.ts";
import { runSchedule } from "./fleet-audit/schedule.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each, works } from "./stage/ground.ts";
import { newSeed } from "./stage/seed.ts";

/** Schedules of faults, each with its own seed: HOOKLINE_SEED with a schedule's number runs that one first. */
const schedules: Experiment = {
  id: "decisions of a fleet",
  async run(tally, { full }) {
    if (natsServer === undefined) return tally.skip("nats-server is not installed");
    if (!works("prlimit", "--version")) return tally.skip("prlimit is not installed");
    const first = newSeed();
    const seeds = Array.from({ length: full ? 200 : 2 }, (_, i) => first + i);
    let [batches, decisions] = [0, 0];
    await each(seeds, 2, async (seed) => {
      const ran = await runSchedule(seed);
      batches += ran.batches;
      decisions += ran.decisions;
      tally.trial(ran.problem && `HOOKLINE_SEED=${seed} (${ran.faults.join(", ")}): ${ran.problem}`);
    });
    tally.trial(batches > 0 ? undefined : "nothing was sent");
    tally.figure(`${decisions} decisions in ${batches} batches, seeds ${first} to ${seeds.at(-1)}`);
  },
};

export const claim: Claim = {
  name: "fleet-audit",
  says: "whatever is killed, a batch of decisions that was acknowledged is in the fleet's stream once, and every other one is in the spool",
  run: (size) => findingOf([schedules], size),
};
