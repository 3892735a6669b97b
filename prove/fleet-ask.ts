import { hasNats } from "../packages/fleet/test/support/fleet.ts";
import type { Claim } from "./claim.ts";
import { Stage } from "./fleet-ask/stage.ts";
import { type Dice, mixedDice } from "./stage/dice.ts";
import { type Experiment, findingOf, type Tally } from "./stage/experiment.ts";
import { newSeed } from "./stage/seed.ts";

const FULL = 200;
const QUICK = 3;
/** Number of steps in a schedule; in each step faults occur while calls are judged. */
const STEPS = 3;
/** The time that a fleet may take until it judges again once everything runs, in ms. */
const PATIENCE_MS = 30_000;

/** Counts of the decisions. */
interface Figures {
  judged: number;
  refused: number;
}

/** Runs one schedule; returns what was wrong with the outcome. */
async function play(stage: Stage, seed: number, figures: Figures): Promise<string | undefined> {
  const chance = mixedDice(seed);
  const played: string[] = [];
  const agent = await stage.agent();
  const problem = async (): Promise<string | undefined> => {
    for (let step = 0; step < STEPS; step++) {
      if (chance.chance(0.5)) await stage.heal();
      const [before, during] = [fault(stage, chance, 0.4), fault(stage, chance, 0.7)];
      played.push(`${before.name}, then ${during.name}`);
      await before.run();
      const asked = Array.from({ length: 1 + chance.below(3) }, (_, n) => command(chance, `${seed}-${step}-${n}`));
      const calls = asked.map((text) => agent.call(text));
      await new Promise((resolve) => setTimeout(resolve, chance.below(30)));
      await during.run();
      const outcomes = await Promise.all(calls);
      const judged = stage.judged();
      for (const [n, { decision, reason }] of outcomes.entries()) {
        const text = asked[n] as string;
        if (decision === "deny") {
          figures.refused += 1;
          if (!/^(pushing is for people$|fleet acme could not ask extensions\/guard\.ts: \S)/.test(reason))
            return `"${text}" was refused without the fleet, the hook and the cause: ${reason}`;
        } else if (text.includes("git push") || !judged.has(text)) return `"${text}" ran unjudged`;
        else figures.judged += 1;
      }
    }
    return judgesAgain(stage, agent, seed);
  };
  const found = await problem();
  await agent.close();
  return found && `${found} (${played.join("; ")})`;
}

/** Checks that calls are judged again after everything was restarted. */
async function judgesAgain(
  stage: Stage,
  agent: Awaited<ReturnType<Stage["agent"]>>,
  seed: number,
): Promise<string | undefined> {
  await stage.heal();
  const until = performance.now() + PATIENCE_MS;
  for (let n = 0; ; n++) {
    const [listed, pushed] = [await agent.call(`ls ${seed}-after-${n}`), await agent.call("git push")];
    if (listed.decision !== "deny" && pushed.reason === "pushing is for people") return undefined;
    if (performance.now() > until)
      return `calls are not judged after everything runs again: ${listed.reason}; ${pushed.reason}`;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns a random fault; in some cases, none. */
function fault(stage: Stage, chance: Dice, share: number): { readonly name: string; readonly run: () => unknown } {
  const name = chance.chance(share) ? chance.pick(Object.keys(stage.faults)) : "nothing";
  return { name, run: () => stage.faults[name]?.(chance) };
}

/** Returns a command that was not used before. */
function command(chance: Dice, id: string): string {
  if (chance.chance(0.3)) return `git push ${id}`;
  return chance.chance(0.2) ? `sleep ${chance.below(800)} ${id}` : `ls ${id}`;
}

const asked: Experiment = {
  id: "calls that a closed remote guard covers",
  async run(tally: Tally, { full }) {
    if (!hasNats) return tally.skip("nats-server is not installed");
    const first = newSeed();
    const count = full ? FULL : QUICK;
    const figures: Figures = { judged: 0, refused: 0 };
    await using stage = await Stage.open();
    for (let seed = first; seed < first + count; seed++) {
      const problem = await play(stage, seed, figures).catch((thrown: unknown) => `it broke off: ${thrown}`);
      tally.trial(problem && `HOOKLINE_SEED=${seed}: ${problem}`);
      await stage.heal();
    }
    tally.figure(`seeds ${first} to ${first + count - 1}: ${figures.judged} calls judged, ${figures.refused} refused`);
  },
};

export const claim: Claim = {
  name: "fleet-ask",
  says: "no call runs unjudged that a closed remote guard covers, whatever is killed, stopped or wrong",
  run: (size) => findingOf([asked], size),
};
