import type { BenchCase } from "../case.ts";
import { COMMANDS, hookedProject } from "../programs/hooked-project.ts";

const HOOKS = 200;

/** Times commands in a project with many hooks; the floor is the same project without any. */
export const cases: readonly BenchCase[] = Object.entries(COMMANDS).map(([name, args]) => ({
  name: `command-${name}`,
  unit: `command with ${HOOKS} hooks`,
  budget: { maxCount: 0.5e9 },
  n: 1,
  rounds: 3,
  async open() {
    const [ours, half, none] = [await hookedProject(HOOKS), await hookedProject(HOOKS / 2), await hookedProject(0)];
    return {
      ours: () => ours.run(args),
      // More than 2.2 times the time for twice the hooks would not be linear.
      peers: [{ name: `${HOOKS / 2} hooks`, measured: () => half.run(args), budget: 2.2 }],
      floor: () => none.run(args),
      async close() {
        for (const project of [ours, half, none]) project.remove();
      },
    };
  },
}));
