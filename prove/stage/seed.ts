/** The seed of what an experiment draws: HOOKLINE_SEED where it is given, so that a run can be repeated, else any. */
export function newSeed(): number {
  const given = process.env["HOOKLINE_SEED"];
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}
