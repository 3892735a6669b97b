import { chibi } from "./chibi/index.ts";
import { claude } from "./claude/index.ts";
import type { Dialect } from "./dialect.ts";
import { jcli } from "./jcli/index.ts";
import { omp } from "./omp/index.ts";
import { pi } from "./pi/index.ts";

/** Every dialect, in lane order. */
export const dialects: readonly Dialect[] = [jcli, chibi, claude, omp, pi];

/** Hooks that the model registers: what a host needs to read, show and keep them. */
export * as jcliRegister from "./jcli/register.ts";
/**
 * Packages of extensions: what a host needs to fetch them (what a source names, where it is kept, whether it is
 * unchanged).
 */
export * as packages from "./packages.ts";
export { chibi, claude, jcli, omp, pi };
