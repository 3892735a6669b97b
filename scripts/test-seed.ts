/**
 * Makes random tests repeatable if HOOKLINE_SEED is set, as it is in CI, so that a failing run can be repeated and a
 * passing one keeps passing. Without it every run has a new seed.
 */
const seed = process.env["HOOKLINE_SEED"];
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
