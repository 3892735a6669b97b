import type { Case } from "./case.ts";
import { difference } from "./data.ts";

/** What came of a case. */
export interface Observation {
  readonly answer: unknown;
  readonly saw: readonly unknown[];
  readonly asked: readonly number[];
  readonly diagnostics: readonly string[];
  readonly edited: readonly string[];
  readonly tookMs: number;
}

/** What an observation has that the case does not expect, or lacks. */
export function judge({ hooks, expect }: Case, got: Observation): string | undefined {
  const asked = expect.asked ?? hooks.map((_, index) => index);
  return (
    difference(asked, got.asked, "asked") ??
    (expect.saw === undefined ? undefined : difference(expect.saw, got.saw, "saw")) ??
    difference(expect.answer, got.answer, "answer") ??
    difference(expect.diagnostics ?? [], got.diagnostics, "diagnostics") ??
    (expect.edited === undefined ? undefined : difference(expect.edited, got.edited, "edited")) ??
    (expect.tookMs === undefined ? undefined : lateness(expect.tookMs, got.tookMs))
  );
}

/** Limits may be looked at now and then, so that one is found out a little later, and never earlier. */
const LATE_MS = 100;

function lateness(wanted: number, got: number): string | undefined {
  return got >= wanted && got <= wanted + LATE_MS ? undefined : `tookMs: wanted ${wanted}, got ${got}`;
}
