import { constants } from "node:os";

/**
 * Returns a program's exit code as a shell reports it: 128 and the signal's number for a program that a signal has
 * ended. `undefined` for a program that has not ended.
 */
export function exitCode(how: { readonly exitCode?: number; readonly signal?: string }): number | undefined {
  const { exitCode: code, signal } = how;
  return signal === undefined ? code : 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
