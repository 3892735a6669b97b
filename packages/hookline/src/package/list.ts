import { type Consent, type Review, reviewFiles, systemFiles } from "@hookline/runtime";
import type { packages } from "@hookline/runtime/dialects";

/** A list of packages as a person is asked about it: what would be fetched, whatever else its file says. */
export function reviewList({ tier, path, sources }: packages.PackageList, cwd: string, consent: Consent): Review {
  const source = { path, tier, dialect: "pi" } as const;
  const definition = { packages: sources };
  const candidate = { lane: "packages", source, state: "runs", files: [], definition } as const;
  return reviewFiles(candidate, { consent, files: systemFiles, cwd });
}
