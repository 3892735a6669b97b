import type { Tier } from "../../error/diagnostic.ts";
import type { Files } from "../../port/files.ts";
import type { CandidateState } from "../dialect.ts";

/** A module that was found at a place of a tier. */
export interface PlacedModule {
  readonly path: string;
  readonly tier: Tier;
  readonly state?: CandidateState;
}

/**
 * Each file once, in order. Where a project's place and a person's lead to the same file, by a link or by name, it is
 * the person's: a project never takes over what is theirs (decision 56). Otherwise the first place counts.
 */
export function eachOnce<M extends PlacedModule>(files: Files, modules: readonly M[]): M[] {
  const real = new Map(modules.map((module) => [module, files.real(module.path) ?? module.path]));
  const runs = ({ state = "runs" }: M): boolean => state === "runs";
  const owned = new Set(modules.filter((one) => one.tier !== "project" && runs(one)).map((one) => real.get(one)));
  const seen = new Set<string | undefined>();
  return modules.filter((module) => {
    const path = real.get(module);
    const isTaken = owned.has(path) && (module.tier === "project" || !runs(module));
    if (seen.has(path) || isTaken) return false;
    seen.add(path);
    return true;
  });
}
