import { join } from "node:path";
import { type Bug, packageOf } from "./bugs/bug.ts";
import { createCopy } from "./bugs/copy.ts";
import { BUGS } from "./bugs/list.ts";
import { ALL_MS, runSuite } from "./bugs/suite.ts";
import type { Claim } from "./claim.ts";

/** Names of bugs that most others have shipped, and whose tests are quick. */
const QUICK = [
  "child.killed",
  "time counted from the queue",
  "unclamped timeout",
  "partial sanitiser",
  "sequential template",
  "folder-only trust",
  "links not followed",
  "a host gives up its last letters",
];

const pathOf = (bug: Bug): string => join(packageOf(bug.of), "test", bug.test.file);

export const claim: Claim = {
  name: "field-bugs",
  says: "mistakes that agents have shipped, or that are as easy to make, turn the tests red when they are put into the code",
  async run(size) {
    const bugs = size === "full" ? BUGS : BUGS.filter(({ name }) => QUICK.includes(name));
    using copy = createCopy();
    // Bugs that a quick run skips are also checked here: a bug whose patch no longer fits the code proves nothing.
    const stale = BUGS.flatMap((bug) => {
      const problem = copy.apply(bug);
      copy.restore();
      return problem === undefined ? [] : [`${bug.name}: ${problem}`];
    });
    if (stale.length > 0) return { n: BUGS.length, violations: stale.length, notes: stale };
    const files = [...new Set(bugs.map(pathOf))];
    const names = bugs.map(({ test }) => test.names).join("|");
    let all = await runSuite(copy.folder, files, names, ALL_MS);
    // A busy machine can delay a test; a test that is really broken fails again.
    if (all.broken === undefined && all.red) all = await runSuite(copy.folder, files, names, ALL_MS);
    if (all.broken !== undefined || all.red) {
      const failed = all.failed.join(", ") || "nothing by name, so the run itself";
      const problem = all.broken ?? `without any bug these fail: ${failed}`;
      return { n: bugs.length, violations: bugs.length, notes: [problem] };
    }
    const notes: string[] = [];
    for (const bug of bugs) {
      const problem = await problemOf(bug, copy);
      copy.restore();
      if (problem !== undefined) notes.push(`${bug.name} (${bug.says}): ${problem}`);
    }
    const caught = `${bugs.length - notes.length} of ${bugs.length} caught`;
    return { n: bugs.length, violations: notes.length, notes: [caught, ...notes] };
  },
};

/** Returns why a bug was not detected. */
async function problemOf(bug: Bug, copy: ReturnType<typeof createCopy>): Promise<string | undefined> {
  const { test } = bug;
  const stale = copy.apply(bug);
  if (stale !== undefined) return `it cannot be put back in: ${stale}`;
  const { ran, red, broken } = await runSuite(copy.folder, [pathOf(bug)], test.names);
  if (broken !== undefined) return broken;
  if (ran === 0) return `no test of ${test.file} is named like "${test.names}"`;
  return red ? undefined : `${ran} tests of ${test.file} stay green`;
}
