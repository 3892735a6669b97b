/** The result of an experiment. */
export interface Finding {
  /** Number of trials. */
  readonly n: number;
  readonly violations: number;
  /** Notes for the reader, such as each violation. */
  readonly notes: readonly string[];
  /** The reason why the experiment could not be run here; it then counts neither as kept nor as violated. */
  readonly notRun?: string;
}

/** Options of an experiment. */
export interface Options {
  /** Duration of an experiment that runs for a given time. */
  readonly minutes?: number;
}

/** A promise that is proved by experiment. */
export interface Claim {
  readonly name: string;
  readonly says: string;
  /** Runs the experiment: `quick` for every change, `full` for the report card. */
  run(size: "quick" | "full", options?: Options): Promise<Finding>;
}

/** Returns the upper bound of the violation rate with 95 % confidence: the rule of three. */
export function bound95(finding: Finding): number {
  return finding.n === 0
    ? 1
    : (finding.violations === 0 ? 3 : finding.violations + 2 * Math.sqrt(finding.violations) + 3) / finding.n;
}
