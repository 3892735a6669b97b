/**
 * Draws the same in each test run where HOOKLINE_SEED is set, as it is in CI, so that a red run can be repeated and a green
 * one stays green. Without it every run draws anew.
 */
const seed = process.env["HOOKLINE_SEED"];
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
