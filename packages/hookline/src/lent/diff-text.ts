import { describeChange } from "../tool/diff.ts";

/** Formats the change from one text to another with line numbers, as the edit tool shows it. */
export function generateDiffString(
  before: string,
  after: string,
): { diff: string; firstChangedLine: number | undefined } {
  const { diff, firstChangedLine } = describeChange("", before, after);
  return { diff, firstChangedLine };
}

/** Formats the change from one text to another as a unified patch. */
export function generateUnifiedPatch(path: string, before: string, after: string): string {
  return describeChange(path, before, after).patch;
}
