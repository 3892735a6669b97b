import { messageOf } from "../../packages/runtime/src/error/error.ts";
import type { Finding } from "../claim.ts";

/** Who starts the processes: Node, or the system's library. */
export type Path = "spawn" | "native";

/** One promise about processes, tried out. */
export interface Experiment {
  /** Its number in the list of guarantees, such as `R1`. */
  readonly id: string;
  /** Tried once on each of these; empty where no process is started. */
  readonly paths: readonly Path[];
  run(tally: Tally, about: { readonly path: Path; readonly full: boolean }): Promise<void>;
}

export const ALL: readonly Path[] = ["spawn", "native"];

/** How many broken promises are told in words. */
const TOLD = 5;

/** What one experiment comes to. */
export class Tally {
  n = 0;
  readonly violations: string[] = [];
  readonly figures: string[] = [];
  readonly notRun: string[] = [];

  /** Counts one trial; `problem` says how it went wrong. */
  trial(problem: string | undefined): void {
    this.n += 1;
    if (problem !== undefined) this.violations.push(problem);
  }

  /** Tells a number beside the violations. */
  figure(text: string): void {
    this.figures.push(text);
  }

  /** Times of trials that were counted already: all but one in a hundred must stay below the limit. */
  times(what: string, ms: readonly number[], limitMs: number): void {
    const late = ms.filter((one) => one > limitMs).length;
    this.figure(`${what} p50 ${Math.round(share(ms, 0.5))} ms, p99 ${Math.round(share(ms, 0.99))} ms`);
    if (late > Math.ceil(ms.length / 100))
      this.violations.push(`${late} of ${ms.length} took over ${limitMs} ms: ${what}`);
  }

  /** Names a part that this machine does not permit, or that there is none of. */
  skip(text: string): void {
    this.notRun.push(text);
  }
}

/** The value below which the given share of the values lies; 0 without values. */
export function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

/** Runs experiments one after the other, and makes one finding of them. */
export async function findingOf(experiments: readonly Experiment[], size: "quick" | "full"): Promise<Finding> {
  const notes: string[] = [];
  let n = 0;
  let violations = 0;
  for (const { id, paths, run } of experiments) {
    for (const path of paths.length === 0 ? [undefined] : paths) {
      const tally = new Tally();
      try {
        await run(tally, { path: path ?? "spawn", full: size === "full" });
      } catch (thrown) {
        tally.trial(`the experiment broke off: ${messageOf(thrown)}`);
      }
      n += tally.n;
      violations += tally.violations.length;
      notes.push(...lines(path === undefined ? id : `${id} (${path})`, tally));
    }
  }
  return { n, violations, notes };
}

function lines(name: string, { n, violations, figures, notRun }: Tally): string[] {
  const told = violations.slice(0, TOLD).map((problem) => `${name} VIOLATED: ${problem}`);
  if (violations.length > TOLD) told.push(`${name} VIOLATED: ${violations.length - TOLD} more`);
  const counted = n === 0 ? [] : [[`${name}: ${violations.length} of ${n}`, ...figures].join("; ")];
  return [...counted, ...told, ...notRun.map((why) => `${name} not run: ${why}`)];
}
