import type { Claim } from "./claim.ts";
import { findingOf } from "./processes/experiment.ts";
import { changes } from "./trust/changes.ts";

export const claim: Claim = {
  name: "trust",
  says: "of a project that was approved and then changed or moved, nothing runs that nobody has agreed to",
  run: (size) => findingOf(changes, size),
};
