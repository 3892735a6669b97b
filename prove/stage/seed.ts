/**
 * Returns the seed of an experiment: HOOKLINE_SEED if it is set, so that a run can be repeated, otherwise a random one.
 */
export function newSeed(): number {
  const given = process.env["HOOKLINE_SEED"];
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}
