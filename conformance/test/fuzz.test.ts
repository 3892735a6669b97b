import { inspect } from "node:util";
import { dialects } from "@hookline/runtime/dialects";
import { describe, expect, test } from "vitest";
import { Chance } from "../../prove/stage/chance.ts";
import { trials } from "../../scripts/trials.ts";
import { readCases } from "../requirement.ts";
import { rowTargets } from "./fuzz/rows.ts";
import type { Target } from "./fuzz/target.ts";
import { TEXTS } from "./fuzz/texts.ts";

/** The form in which a single field is refused: its name, which may be any text, its type, and the reason. */
const NAMED_REFUSAL = /^.* \([^)]+\) cannot be (read|written as JSON): /s;
const SEED = Number(process.env["HOOKLINE_SEED"] ?? 1);

/** Gives each decoder random input in turn; returns what went wrong, each with what is needed to repeat it. */
async function fuzz(targets: readonly Target[], count: number, seed: number): Promise<string[]> {
  const wrong: string[] = [];
  for (let n = 0; n < count; n++) {
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

describe("random input", () => {
  test.each(dialects.map((dialect) => [dialect.id, dialect] as const))(
    "crashes no decoder of %s",
    async (id, dialect) => {
      const targets = [...(TEXTS[id] ?? []), ...rowTargets(dialect, readCases(id))];
      expect(await fuzz(targets, trials(400), SEED)).toEqual([]);
    },
  );

  test("a decoder that crashes, and one that gives what it must not, are named with what repeats it", async () => {
    const crashing = { name: "one", try: () => JSON.parse("{") };
    const wrong = { name: "two", try: () => "gives nonsense" };
    const found = await fuzz([crashing, wrong], 2, 7);
    expect(found[0]).toMatch(/^one crashes: SyntaxError.*HOOKLINE_SEED=7 trial 0/s);
    expect(found[1]).toBe("two gives nonsense (HOOKLINE_SEED=7 trial 1)");
  });
});
