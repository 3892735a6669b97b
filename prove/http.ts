import type { Claim } from "./claim.ts";
import { crowd } from "./http/crowd.ts";
import { everyFault } from "./http/faults.ts";
import { rebinding } from "./http/rebinding.ts";
import { torn } from "./http/torn.ts";
import { findingOf } from "./processes/experiment.ts";

export const claim: Claim = {
  name: "http",
  says: "a hook behind a URL ends in time, leaves no connection, answers completely or not at all, and is asked only where it may be",
  run: (size) => findingOf([everyFault, torn, rebinding, crowd], size),
};
