import { trials } from "../../../../scripts/trials.ts";

const given = process.env["HOOKLINE_SEED"];

/** One seed for every property of a run; printed, so that the run can be repeated. */
export const seed: number = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
console.log(`laws: repeat with HOOKLINE_SEED=${seed}`);

/** How often each law is put to the test. */
export const RUNS = { seed, numRuns: trials(1000) };
