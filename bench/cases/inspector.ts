import type { BenchCase } from "../case.ts";
import type { Inspecting } from "../programs/inspecting.ts";

const MOMENTS = 100_000;

function counted(
  name: string,
  counts: string,
  maxCount: number,
  count: (ground: Inspecting) => Promise<number>,
): BenchCase {
  return {
    name,
    unit: `session of ${MOMENTS} moments`,
    counts,
    budget: { maxCount },
    n: 1,
    rounds: 7,
    async open() {
      // The browser driver is large, and all case files are loaded before any is measured.
      const { Inspecting } = await import("../programs/inspecting.ts");
      const ground = await Inspecting.open();
      return { ours: async (n) => (await count(ground)) * n, close: () => ground.close() };
    },
  };
}

export const cases: readonly BenchCase[] = [
  counted("inspector-open", "ms from its address to its first steps", 1000, (ground) => ground.firstView()),
  counted("inspector-scroll", "ms of processor of the longest task while it is scrolled", 50, (ground) =>
    ground.longestTask(),
  ),
];
