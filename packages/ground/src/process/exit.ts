import { constants } from "node:os";

/**
 * Returns a program's exit code as a shell reports it: 128 and the signal's number for a program that a signal has
 * ended. `undefined` for a program that has not ended.
 */
export function exitCode(how: { readonly exitCode?: number; readonly signal?: string }): number | undefined {
  const { exitCode: code, signal } = how;
  return signal === undefined ? code : 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

const ENDED: ReadonlySet<string> = new Set(["timed-out", "aborted", "over-limit"]);

/**
 * Returns how a program ended, as hooks see it. A program that could not start has code 1, and one whose output was cut
 * off never 0, so that neither looks as if it had succeeded.
 */
export function execEnd(report: { readonly status: string } & Parameters<typeof exitCode>[0]) {
  const truncated = report.status === "over-limit";
  return { code: Math.max(exitCode(report) ?? 1, Number(truncated)), killed: ENDED.has(report.status), truncated };
}
