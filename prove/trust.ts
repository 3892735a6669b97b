import type { Claim } from "./claim.ts";
import { findingOf } from "./stage/experiment.ts";
import { besideAnyProject } from "./trust/beside.ts";

export const claim: Claim = {
  name: "trust",
  says: "no project removes or changes a hook of the user's",
  run: (size) => findingOf([besideAnyProject], size),
};
