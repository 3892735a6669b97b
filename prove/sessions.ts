import type { Claim } from "./claim.ts";
import { apart } from "./sessions/apart.ts";
import { load } from "./sessions/load.ts";
import { findingOf } from "./stage/experiment.ts";

export const claim: Claim = {
  name: "sessions",
  says: "a thousand sessions in one process do not mix, and load changes no decision (R37, R62)",
  run: (size) => findingOf([apart, load], size),
};
