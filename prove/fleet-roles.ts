import { hasNats } from "../packages/fleet/test/support/fleet.ts";
import type { Claim } from "./claim.ts";
import { Trials } from "./fleet-roles/attempts.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { schedules } from "./stage/schedules.ts";

const FULL = 1000;
const QUICK = 60;

const rights: Experiment = {
  id: "what each role tries on a real server",
  async run(tally, { full }) {
    if (!hasNats) return tally.skip("nats-server is not installed");
    await using trials = await Trials.open();
    await schedules(tally, full ? FULL : QUICK, (dice) => trials.trial(dice));
    const { let: through, refused, read } = trials.counts;
    tally.figure(
      `${through} writes and subscriptions were let through, ${refused} were not, ${read} messages were read`,
    );
    if (full && (through === 0 || refused === 0 || read === 0)) tally.trial("nothing was tried");
  },
};

export const claim: Claim = {
  name: "fleet-roles",
  says: "no machine of a fleet writes, hears or reads what its role's row does not list",
  run: (size) => findingOf([rights], size),
};
