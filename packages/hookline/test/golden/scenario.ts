import type { Bench, BenchOptions } from "../agent/bench.ts";
import type { Recorder } from "./record.ts";

/** One group of moments: how the agent is set up, and what is done with it. */
export interface Scenario extends BenchOptions {
  readonly run: (bench: Bench, recorder: Recorder) => Promise<void>;
}
