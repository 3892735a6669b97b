import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { BenchCase, Measured } from "../case.ts";
import { numbersIn } from "../programs/asked.ts";

const program = join(import.meta.dirname, "../programs/instrumented.ts");

/**
 * Measures a process that imports the telemetry module without an SDK, next to one that does not import it, with the
 * handlers of `dispatch-…`.
 */
function withoutSdk(handlers: number, n: number): BenchCase {
  const run =
    (how: string): Measured =>
    (times) => {
      const args = ["--conditions=hookline-source", program, how, String(handlers), String(times)];
      return numbersIn(execFileSync(process.execPath, args, { encoding: "utf8" }))[0] as number;
    };
  return {
    name: `telemetry-unused-${handlers}`,
    unit: "event",
    budget: { toFloor: 1.1 },
    n,
    rounds: 11,
    open: async () => ({ ours: run("watched"), floor: run("bare") }),
  };
}

export const cases: readonly BenchCase[] = [withoutSdk(1, 300_000), withoutSdk(10, 50_000)];
