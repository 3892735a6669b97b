import type { Claim } from "./claim.ts";
import { filledOnce } from "./prompts/filled.ts";
import { onlyStricter } from "./prompts/lax.ts";
import { findingOf } from "./stage/experiment.ts";

export const claim: Claim = {
  name: "prompts",
  says: "a judge's prompt is filled in once, whatever the conversation holds, and no judge's answer lifts a denial (R21)",
  run: (size) => findingOf([filledOnce, onlyStricter], size),
};
