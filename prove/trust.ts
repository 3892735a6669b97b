import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { exercise, furnished, type Project } from "../packages/runtime/test/config/kit.ts";
import { MUTATIONS, PARTS, type Part } from "../packages/runtime/test/config/mutations.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./processes/experiment.ts";

/** Opens a session of the project as it is now, asks every hook, and says what of it ran. */
async function ran(project: Project): Promise<string[]> {
  await using opened = await project.open();
  await exercise(opened);
  return [...new Set(project.ran())];
}

/** The marks of hooks that nobody has agreed to, or that were agreed to and do not run. */
function problemOf(found: readonly string[], stops: readonly Part[]): string | undefined {
  const parts = Object.keys(PARTS) as Part[];
  const agreed = new Set<string>(parts.filter((part) => !stops.includes(part)).flatMap((part) => [...PARTS[part]]));
  const unasked = found.filter((name) => !agreed.has(name));
  if (unasked.length > 0) return `${unasked.join(", ")} ran without consent`;
  // Node keeps an installed package for as long as the process lives.
  const idle = [...agreed].filter((name) => name !== "pack" && !found.includes(name));
  return idle.length > 0 ? `${idle.join(", ")} did not run any more, although nothing of it was changed` : undefined;
}

const ALL = Object.keys(PARTS) as Part[];

/** Copies of a project elsewhere, which nobody has agreed to. */
const COPIES: Readonly<Record<string, (project: Project) => string>> = {
  "a copy of the project": ({ top }) => join(top, "copy"),
  "a folder whose name differs in case": ({ top }) => join(top, "Project"),
  "a project below the approved one": ({ cwd }) => join(cwd, "nested"),
};

/** R53: after any change of a project that was approved, nothing runs that nobody has agreed to. */
const changesAreAskedAbout: Experiment = {
  id: "R53",
  paths: [],
  async run(tally) {
    const fresh = furnished();
    tally.trial(problemOf(await ran(fresh), ALL));
    fresh.remove();
    for (const { name, stops, apply } of MUTATIONS) {
      const project = furnished();
      await project.approve();
      apply(project);
      const problem = problemOf(await ran(project), stops);
      tally.trial(problem && `${name}: ${problem}`);
      project.remove();
    }
    for (const [name, target] of Object.entries(COPIES)) {
      const project = furnished();
      await project.approve();
      const copy = target(project);
      const original = join(project.top, "original");
      cpSync(project.cwd, original, { recursive: true });
      mkdirSync(copy, { recursive: true });
      cpSync(original, copy, { recursive: true });
      project.cwd = copy;
      const problem = problemOf(await ran(project), ALL);
      tally.trial(problem && `${name}: ${problem}`);
      project.remove();
    }
    tally.figure(`${MUTATIONS.length} changes and ${Object.keys(COPIES).length} copies`);
  },
};

export const claim: Claim = {
  name: "trust",
  says: "of a project that was approved and then changed or moved, nothing runs that nobody has agreed to",
  run: (size) => findingOf([changesAreAskedAbout], size),
};
