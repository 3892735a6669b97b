import type { Claim } from "./claim.ts";
import { findingOf } from "./stage/experiment.ts";
import { besideAnyProject } from "./trust/beside.ts";
import { changes } from "./trust/changes.ts";

export const claim: Claim = {
  name: "trust",
  says: "nothing of a project runs without approval, and no project removes or changes a hook of the user's",
  run: (size) => findingOf([...changes, besideAnyProject], size),
};
