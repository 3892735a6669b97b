import type { Consent } from "@hookline/runtime";
import type { packages } from "@hookline/runtime/dialects";
import { type Review, reviewFiles, systemFiles } from "@hookline/runtime/internal";
import { candidateOf } from "../item/dialect.ts";
import { packageListItem } from "../item/kinds.ts";

/** A list of packages, as shown to a person for approval. */
export function reviewList(list: packages.PackageList, cwd: string, consent: Consent): Review {
  return reviewFiles(candidateOf("packages", packageListItem(list)), { consent, files: systemFiles, cwd });
}
