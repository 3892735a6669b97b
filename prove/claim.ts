/** The result of an experiment. */
export interface Finding {
  /** Trials. */
  readonly n: number;
  readonly violations: number;
  /** Notes for the reader, such as each violation. */
  readonly notes: readonly string[];
  /** Why it could not be run here; it then counts as neither kept nor violated. */
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
  /** `quick` is for every change, `full` for the report card. */
  run(size: "quick" | "full", options?: Options): Promise<Finding>;
}

/** The upper bound of the violation rate with 95 % confidence: the rule of three. */
export function bound95(finding: Finding): number {
  return finding.n === 0
    ? 1
    : (finding.violations === 0 ? 3 : finding.violations + 2 * Math.sqrt(finding.violations) + 3) / finding.n;
}
