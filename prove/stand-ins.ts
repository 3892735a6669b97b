import fc from "fast-check";
import { schedules, unguardedIn } from "../packages/runtime/test/laws/stand-in-schedules.ts";
import type { Claim } from "./claim.ts";
import { folder } from "./stage/ground.ts";
import { newSeed } from "./stage/seed.ts";

const SCHEDULES = { quick: 2000, full: 100_000 };

/** Random loads; at each wait, something may fail, hang, come, go or be reloaded. */
export const claim: Claim = {
  name: "stand-ins",
  says: "at every wait of every load, a handler of each required hook is registered, or a stand-in that refuses",
  async run(size) {
    using home = folder();
    const seed = newSeed();
    let unguarded: readonly string[] = [];
    const property = fc.asyncProperty(schedules, async (schedule) => {
      unguarded = await unguardedIn(schedule, home.path);
      return unguarded.length === 0;
    });
    const { failed, numRuns, counterexample } = await fc.check(property, { seed, numRuns: SCHEDULES[size] });
    const notes = [`seed ${seed}`];
    if (failed) notes.push(`nothing stood in for ${unguarded.join(", ")}: ${JSON.stringify(counterexample)}`);
    return { n: numRuns, violations: failed ? 1 : 0, notes };
  },
};
