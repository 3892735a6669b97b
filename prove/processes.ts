import type { Claim } from "./claim.ts";
import { abort } from "./processes/abort.ts";
import { answers } from "./processes/answers.ts";
import { ending } from "./processes/ending.ts";
import { environment } from "./processes/environment.ts";
import { type Experiment, findingOf } from "./processes/experiment.ts";
import { hosts, shortages } from "./processes/hosts.ts";
import { starting } from "./processes/starting.ts";
import { streams } from "./processes/streams.ts";
import { terminal } from "./processes/terminal.ts";
import { time } from "./processes/time.ts";

/** The experiments, ordered by the numbers of the guarantees. */
const EXPERIMENTS: readonly Experiment[] = [
  ...ending,
  ...hosts,
  abort,
  ...streams,
  answers,
  shortages,
  ...starting,
  ...environment,
  terminal,
  time,
];

export const claim: Claim = {
  name: "processes",
  says: "child processes keep the guarantees R1 to R16 and R41, whoever starts them",
  run: (size) => findingOf(EXPERIMENTS, size),
};
