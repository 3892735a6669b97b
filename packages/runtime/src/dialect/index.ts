import { chibi } from "./chibi/index.ts";
import { claude } from "./claude/index.ts";
import type { Dialect } from "./dialect.ts";
import { jcli } from "./jcli/index.ts";
import { omp } from "./omp/index.ts";
import { pi } from "./pi/index.ts";

/** Every dialect, in the order in which their lanes are asked. */
export const dialects: readonly Dialect[] = [jcli, chibi, claude, omp, pi];

/** Hooks that the model registers, as a host offers them: reading, showing, keeping. */
export * as jcliRegister from "./jcli/register.ts";
/** Packages of extensions, as a host fetches them: what a source names, where it is kept, whether it is unchanged. */
export * as packages from "./packages.ts";
export { chibi, claude, jcli, omp, pi };
