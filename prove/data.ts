import type { Claim } from "./claim.ts";
import { depth } from "./data/depth.ts";
import { matchers } from "./data/matchers.ts";
import { merging } from "./data/merging.ts";
import { payloads } from "./data/payloads.ts";
import { findingOf } from "./stage/experiment.ts";

export const claim: Claim = {
  name: "data",
  says: "foreign data changes no prototype, exhausts nothing, and no hook changes another's (R17 to R19, R22)",
  run: (size) => findingOf([merging, depth, matchers, payloads], size),
};
