import { inspect } from "node:util";
import { dialects } from "@hookline/runtime/dialects";
import { readCases } from "../conformance/requirement.ts";
import type { Claim, Finding } from "./claim.ts";
import { Chance } from "./fuzz/chance.ts";
import { rowTargets } from "./fuzz/rows.ts";
import type { Target } from "./fuzz/target.ts";
import { TEXTS } from "./fuzz/texts.ts";
import { newSeed } from "./stage/seed.ts";

/** Matches the refusal of a single field: its name, which may be any text, its type, and the reason. */
const NAMED_REFUSAL = /^.* \([^)]+\) (cannot be read|has no JSON): /s;

/** Number of trials for each dialect. */
const TRIALS = { quick: 1000, full: 10_000 };
const NAMED = 10;

/** Passes random input to each decoder in turn; returns what went wrong, each with what is needed to repeat it. */
export async function fuzz(targets: readonly Target[], trials: number, seed: number): Promise<string[]> {
  const wrong: string[] = [];
  for (let n = 0; n < trials; n++) {
    const target = targets[n % targets.length] as Target;
    const problem = await attempt(target, new Chance(seed + n));
    if (problem !== undefined) wrong.push(`${target.name} ${problem} (HOOKLINE_SEED=${seed} trial ${n})`);
  }
  return wrong;
}

async function attempt(target: Target, chance: Chance): Promise<string | undefined> {
  try {
    return await target.try(chance);
  } catch (thrown) {
    // A row may refuse an answer by throwing: the engine treats that as the hook's failure, with the field and its
    // type.
    if (thrown instanceof TypeError && NAMED_REFUSAL.test(thrown.message)) return undefined;
    return `crashes: ${inspect(thrown).split("\n").slice(0, 3).join(" ").slice(0, 300)}`;
  }
}

/** The claim: in every dialect, rows with the answers of its cases and all other decoders survive random input. */
export const claim: Claim = {
  name: "fuzz",
  says: "random bytes, changed answers and changed schemas crash no decoder, and give the host nothing that it does not accept",
  async run(size): Promise<Finding> {
    const seed = newSeed();
    const notes: string[] = [`seed ${seed}`];
    let violations = 0;
    for (const dialect of dialects) {
      const targets = [...(TEXTS[dialect.id] ?? []), ...rowTargets(dialect, readCases(dialect.id))];
      const wrong = await fuzz(targets, TRIALS[size], seed);
      violations += wrong.length;
      notes.push(`${dialect.id}: ${TRIALS[size]} trials of ${targets.length} decoders`, ...wrong.slice(0, NAMED));
    }
    return { n: dialects.length * TRIALS[size], violations, notes };
  },
};
