import type { Imports } from "./imports.ts";
import type { ModuleText } from "./module-text.ts";

/** The dialects whose hooks are modules. */
export type ModuleDialect = "pi" | "omp";

/** How a module was given: by the flag `--extension`, by `--hook`, or by lying in hookline's own folder. */
export type Given = "extension" | "hook" | "folder";

/** Which dialect a module is written in, and why that was chosen, for the load report. */
export interface Belonging {
  readonly dialect: ModuleDialect;
  readonly why: string;
}

const scopes: readonly (readonly [prefix: string, dialect: ModuleDialect])[] = [
  ["@oh-my-pi/", "omp"],
  ["@mariozechner/", "pi"],
  ["@earendil-works/", "pi"],
];

const NONE: Imports = { code: [], comments: [] };

/**
 * Tells a module's dialect by the packages that its source imports, type imports included; types in JSDoc comments
 * count where the code imports neither. Without any, a module given by `--hook` is omp's and every other one pi's.
 *
 * Source: decision 17.
 */
export function dialectOfModule(source: ModuleText | undefined, given: Given): Belonging {
  const { code, comments } = source?.imports ?? NONE;
  for (const specifier of [...code, ...comments]) {
    const scope = scopes.find(([prefix]) => specifier.startsWith(prefix));
    if (scope !== undefined) return { dialect: scope[1], why: `${scope[1]}: it imports ${specifier}` };
  }
  if (given === "hook") return { dialect: "omp", why: "omp: it was given by --hook and imports no agent's package" };
  return { dialect: "pi", why: "pi: it imports no agent's package" };
}
