import type { Claim } from "./claim.ts";
import { ambient } from "./in-process/ambient.ts";
import { blocking } from "./in-process/blocking.ts";
import { exits } from "./in-process/exits.ts";
import { hostile } from "./in-process/hostile.ts";
import { lateErrors } from "./in-process/late.ts";
import { listeners } from "./in-process/listeners.ts";
import { loading } from "./in-process/loading.ts";
import { nesting } from "./in-process/nesting.ts";
import { reloads } from "./in-process/reloads.ts";
import { unloading } from "./in-process/unloading.ts";
import { findingOf } from "./processes/experiment.ts";

export const claim: Claim = {
  name: "in-process",
  says: "hooks in this process cannot end it, hang it, or hurt each other (R26 to R36)",
  run: (size) =>
    findingOf([hostile, lateErrors, blocking, exits, ambient, unloading, reloads, nesting, listeners, loading], size),
};
