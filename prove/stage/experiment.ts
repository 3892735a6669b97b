import { messageOf } from "../../packages/ground/src/error/error.ts";
import type { Finding } from "../claim.ts";

/** An experiment about one promise. */
export interface Experiment {
  /** Its number in the list of guarantees, such as `R45`. */
  readonly id: string;
  run(tally: Tally, about: { readonly full: boolean }): Promise<void>;
}

/** The most broken promises that the notes describe. */
const TOLD = 5;

/** The result of one experiment. */
export class Tally {
  n = 0;
  readonly violations: string[] = [];
  readonly figures: string[] = [];
  readonly notRun: string[] = [];

  /** Counts one trial; `problem` says what went wrong. */
  trial(problem: string | undefined): void {
    this.n += 1;
    if (problem !== undefined) this.violations.push(problem);
  }

  /** Adds a figure to the notes. */
  figure(text: string): void {
    this.figures.push(text);
  }

  /** Checks the times of trials that were counted already: 99 of 100 must be below the limit. */
  times(what: string, ms: readonly number[], limitMs: number): void {
    const late = ms.filter((one) => one > limitMs).length;
    this.figure(`${what} p50 ${Math.round(share(ms, 0.5))} ms, p99 ${Math.round(share(ms, 0.99))} ms`);
    if (late > Math.ceil(ms.length / 100))
      this.violations.push(`${late} of ${ms.length} took over ${limitMs} ms: ${what}`);
  }

  /** Records a part that this machine cannot run. */
  skip(text: string): void {
    this.notRun.push(text);
  }
}

/** Returns the value below which the given share of the values lies; 0 if there are no values. */
export function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

/** Runs experiments one after the other, and combines them into one finding. */
export async function findingOf(experiments: readonly Experiment[], size: "quick" | "full"): Promise<Finding> {
  const notes: string[] = [];
  let n = 0;
  let violations = 0;
  for (const { id, run } of experiments) {
    const tally = new Tally();
    try {
      await run(tally, { full: size === "full" });
    } catch (thrown) {
      tally.trial(`the experiment broke off: ${messageOf(thrown)}`);
    }
    n += tally.n;
    violations += tally.violations.length;
    notes.push(...lines(id, tally));
  }
  return { n, violations, notes };
}

function lines(name: string, { n, violations, figures, notRun }: Tally): string[] {
  const told = violations.slice(0, TOLD).map((problem) => `${name} VIOLATED: ${problem}`);
  if (violations.length > TOLD) told.push(`${name} VIOLATED: ${violations.length - TOLD} more`);
  const counted = n === 0 ? [] : [[`${name}: ${violations.length} of ${n}`, ...figures].join("; ")];
  return [...counted, ...told, ...notRun.map((why) => `${name} not run: ${why}`)];
}
