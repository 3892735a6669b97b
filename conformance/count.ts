import { readCases, readRequirements } from "./requirement.ts";

/** How much of a dialect is required, and how it stands. */
export interface Count {
  readonly total: number;
  readonly met: number;
  /** Decided otherwise, with the reason. */
  readonly deviating: number;
  readonly open: number;
  /** Cases as plain data; tests that cite requirements come on top. */
  readonly cases: number;
}

/** Counts a dialect's requirements and cases. */
export function countOf(dialect: string, from?: string): Count {
  const { requirements } = readRequirements(dialect, from);
  const of = (status: string): number => requirements.filter((one) => one.status === status).length;
  return {
    total: requirements.length,
    met: of("met"),
    deviating: of("deviates"),
    open: of("open"),
    cases: readCases(dialect, from).length,
  };
}
