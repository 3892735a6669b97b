import { type Dice, mixedDice } from "./dice.ts";
import type { Tally } from "./experiment.ts";
import { newSeed } from "./seed.ts";

/** Runs this many schedules, each with its own seed: HOOKLINE_SEED with a schedule's number runs that one first. */
export async function schedules(
  tally: Tally,
  count: number,
  play: (dice: Dice, seed: number) => Promise<string | undefined>,
): Promise<void> {
  const first = newSeed();
  for (let seed = first; seed < first + count; seed++) {
    const problem = await play(mixedDice(seed), seed).catch((thrown: unknown) => `it broke off: ${thrown}`);
    tally.trial(problem && `HOOKLINE_SEED=${seed}: ${problem}`);
  }
  tally.figure(`seeds ${first} to ${first + count - 1}`);
}
