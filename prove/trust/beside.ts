import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../packages/ground/src/error/error.ts";
import { Place } from "../agent/program.ts";
import { dice } from "../stage/dice.ts";
import type { Experiment } from "../stage/experiment.ts";
import { newSeed } from "../stage/seed.ts";
import { type Asked, askedIn } from "./asked.ts";
import { drawProject } from "./project.ts";
import { furnishHome } from "./user.ts";

/** The number of projects with which each home folder is tried; in one of every `FIRED`, the hooks are really asked. */
const PROJECTS = 50;
const FIRED = 10;

/**
 * The same hooks of the user's are asked about the same events, in the same order and with the same limits, in an empty
 * folder and in a project, whatever the project contains, approved or not.
 */
export const besideAnyProject: Experiment = {
  id: "R53, the user's hooks beside any project",
  async run(tally, { full }) {
    const seed = newSeed();
    const chance = dice(seed);
    const homes = full ? 400 : Number(process.env["HOMES"] ?? 16);
    let [asked, denying] = [0, 0];
    for (let home = 0; home < homes; home++) {
      using place = new Place();
      const kinds = furnishHome(place, chance);
      const alone = await askedIn(place, [], true);
      asked += alone.hooks.length;
      denying += alone.denies ? 1 : 0;
      for (let n = 0; n < PROJECTS; n++) {
        const project = Object.assign(Object.create(place) as Place, { project: join(place.top, `project-${n}`) });
        mkdirSync(project.project);
        const pieces = drawProject(project, chance);
        const isApproved = chance.chance(0.5);
        const isFired = n % FIRED === 0;
        const problem = await askedIn(project, isApproved ? ["--trust-project"] : [], isFired).then(
          (beside) => difference(alone, beside, isApproved, isFired),
          (thrown: unknown) => `nothing could be loaded: ${messageOf(thrown)}`,
        );
        tally.trial(problem && `${kinds}; beside ${isApproved ? "approved " : ""}${pieces}: ${problem}`);
        rmSync(project.project, { recursive: true, force: true });
      }
    }
    tally.figure(
      `${homes} homes, ${denying} with a guard, with ${Math.round(asked / homes)} hooks on average; seed ${seed}`,
    );
  },
};

/** Returns what a project changes. Its approved hooks may be files of the user's, loaded for another lane. */
function difference(alone: Asked, beside: Asked, isApproved: boolean, isFired: boolean): string | undefined {
  const [before, now] = [alone.hooks, beside.hooks];
  const gone = before.find((one) => !now.includes(one));
  if (gone !== undefined) return `not asked: ${gone}`;
  const twice = now.find((one, at) => now.indexOf(one) !== at);
  if (twice !== undefined) return `asked twice: ${twice}`;
  const more = now.find((one) => !before.includes(one));
  if (more !== undefined && !isApproved) return `asked in addition: ${more}`;
  if (before.join() !== now.filter((one) => before.includes(one)).join()) return "asked in another order";
  if (isFired && alone.denies && !beside.denies) return "the call that they refuse was not refused";
  return alone.loop === beside.loop ? undefined : `the loop goes by ${beside.loop}`;
}
