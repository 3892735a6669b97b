/** What an experiment found. */
export interface Finding {
  /** Trials. */
  readonly n: number;
  readonly violations: number;
  /** What a reader should know beside the numbers, such as each violation. */
  readonly notes: readonly string[];
  /** Why it could not be run here; it then counts as neither kept nor violated. */
  readonly notRun?: string;
}

/** What an experiment is run with. */
export interface Options {
  /** How long one lasts that runs for a time. */
  readonly minutes?: number;
}

/** One promise that is proved by experiment. */
export interface Claim {
  readonly name: string;
  readonly says: string;
  /** `quick` is for every change, the full size for the report card. */
  run(size: "quick" | "full", options?: Options): Promise<Finding>;
}

/** With 95 % confidence the rate of violations is below this: the rule of three. */
export function bound95(finding: Finding): number {
  return finding.n === 0
    ? 1
    : (finding.violations === 0 ? 3 : finding.violations + 2 * Math.sqrt(finding.violations) + 3) / finding.n;
}
