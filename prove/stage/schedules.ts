import { type Dice, mixedDice } from "./dice.ts";
import type { Tally } from "./experiment.ts";
import { newSeed } from "./seed.ts";

/** Plays this many schedules, each from a seed of its own: HOOKLINE_SEED with the number of one plays it first. */
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
