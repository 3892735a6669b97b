import { chibi, jcli, omp, pi } from "@hookline/runtime/dialects";
import { callHash, createHookRuntime } from "@hookline/runtime/session";
import { acceptArguments } from "../packages/hookline/src/tool/schema.ts";
import type { Claim } from "./claim.ts";
import { calls } from "./judged/calls.ts";
import { aHook, type Judge } from "./judged/hooks.ts";
import { BASH, EVIL, fits, modelArguments } from "./judged/words.ts";
import { type Dice, dice } from "./stage/dice.ts";
import { findingOf, type Tally } from "./stage/experiment.ts";
import { staged } from "./stage/functions.ts";
import { placePrograms } from "./stage/programs.ts";
import { newSeed } from "./stage/seed.ts";

/** R24: the call that runs is exactly what every judging hook last saw, and none of them has refused or failed. */
async function trial(chance: Dice): Promise<{ readonly ran: boolean; readonly problem: string | undefined }> {
  const hooks = Array.from({ length: 1 + chance.below(5) }, () => aHook(chance));
  const judges = hooks.flatMap(({ judge }) => judge ?? []);
  using programs = placePrograms(hooks.flatMap(({ program }) => program ?? []));
  const placed = hooks.flatMap(({ placed }, i) => (placed === undefined ? [] : { ...placed, path: `/hook-${i}` }));
  const runtime = createHookRuntime({
    dialects: [jcli, chibi, staged(omp, () => placed), staged(pi, () => placed)],
    lanes: [...LANES].sort(() => chance.roll() - 0.5),
    home: programs.home,
    env: {},
    transports: { process: programs.transport },
  });
  const scene = { sessionId: "judged", cwd: programs.home };
  const session = await runtime.open({ scene });
  const depth = chance.below(3);
  // The same hooks judge calls of the main agent, of its sub-agents and of theirs.
  const asked = depth === 0 ? session : session.within({ ...scene, agentId: "a", agentType: "t", depth });
  if (session.hooks().length !== hooks.length)
    throw new Error(`${session.hooks().length} of ${hooks.length} were loaded`);
  let ran: Readonly<Record<string, unknown>> | undefined;
  const accept = (given: unknown): Record<string, unknown> => acceptArguments(BASH, given);
  await asked.wrap({ tool: "bash", toolCallId: "1", args: modelArguments(chance), accept }, (args) => {
    ran = args;
    return "done";
  });
  await runtime.close();
  const unfit = judges.find((judge) => judge.unfit);
  const problem = unfit === undefined ? undefined : `${unfit.name} was asked about a call that does not fit its tool`;
  return { ran: ran !== undefined, problem: problem ?? (ran === undefined ? undefined : problemOf(ran, judges)) };
}

const LANES = ["jcli", "chibi", "omp-hooks", "omp", "pi"];

function problemOf(ran: Readonly<Record<string, unknown>>, judges: readonly Judge[]): string | undefined {
  for (const { name, failed, last } of judges) {
    if (failed) return `${name} had failed, and the call ran`;
    if (last === undefined) return `${name} was not asked, and the call ran`;
    if (callHash({ tool: "bash", args: last }) !== callHash({ tool: "bash", args: ran }))
      return `${name} had judged another call than the one that ran`;
  }
  if (!fits(ran)) return "a call ran that does not fit its tool";
  return judges.length > 0 && EVIL.test(String(ran["command"])) ? "a call ran that every guard refuses" : undefined;
}

async function guardsJudgeWhatRuns(tally: Tally, { full }: { readonly full: boolean }): Promise<void> {
  const seed = newSeed();
  const chance = dice(seed);
  let ran = 0;
  for (let i = 0; i < (full ? 3000 : 400); i++) {
    const one = await trial(chance);
    if (one.ran) ran += 1;
    tally.trial(one.problem);
  }
  tally.figure(`${ran} calls ran, the others were refused; seed ${seed}`);
}

export const claim: Claim = {
  name: "judged",
  says: "no call runs that a guard refused, failed on or has not seen in its final form, and parallel calls do not mix (R24, R25)",
  run: (size) => findingOf([{ id: "R24", run: guardsJudgeWhatRuns }, calls], size),
};
