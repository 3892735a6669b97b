import type { Shadow } from "../config/shadow.ts";
import type { Surroundings } from "../dialect/dialect.ts";
import type { Source } from "../error/diagnostic.ts";
import type { Hook } from "../hook/hook.ts";
import type { Registry } from "../hook/registry.ts";
import { InertContributions, inertServices } from "./inert.ts";
import { countInert, runsInShadow } from "./shadows.ts";

/**
 * How a file with hooks in shadow is loaded: effects of the file, or only of those of its hooks that are in shadow, are
 * counted and do not happen. If the whole file is in shadow, its contributions are not added.
 */
export function inShadow(
  around: Surroundings,
  source: Source,
  { shadow, registry }: { readonly shadow: Shadow; readonly registry: Registry },
): Surroundings {
  if (!shadow.concerns(source)) return around;
  const isWhole = shadow.hasFile(source);
  const first = (): Hook | undefined => [...registry.all()].find(({ hook }) => hook.path === source.path)?.hook;
  const acts = (kind: string): boolean => {
    if (!isWhole && !runsInShadow()) return true;
    countInert(kind, first);
    return false;
  };
  const { services, contributions } = around;
  return {
    ...around,
    acts,
    services: inertServices(services, acts),
    contributions: isWhole ? new InertContributions(contributions) : contributions,
  };
}
