/** The number of random trials of a test: `usual`, times `HOOKLINE_TRIALS` where a run shall draw more. */
export function trials(usual: number): number {
  return usual * Number(process.env["HOOKLINE_TRIALS"] ?? 1);
}
