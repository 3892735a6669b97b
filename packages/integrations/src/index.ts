import type { Dialect } from "@hookline/runtime/dialect";
import { chibi } from "./chibi/hooks/index.ts";
import { claude } from "./claude/hooks/index.ts";
import { hookline } from "./hookline/hooks/index.ts";
import { jcli } from "./jcli/hooks/index.ts";
import { omp } from "./omp/hooks/index.ts";
import { pi } from "./pi/hooks/index.ts";

/** Every dialect of another agent, in lane order. */
export const dialects: readonly Dialect[] = [jcli, chibi, claude, omp, pi];

/** All dialects: those of other agents, then hookline's own guards, which are asked last. */
export const formats: readonly Dialect[] = [...dialects, hookline];

/** Reads, shows and stores the hooks that the model registers; for hosts. */
export * as jcliRegister from "./jcli/hooks/register.ts";
/**
 * Functions that a host needs to fetch packages of extensions: they parse a package's source, find its folder and check
 * whether it is unchanged.
 */
export * as packages from "./pi/packages.ts";
export { transcripts } from "./transcripts.ts";
export { chibi, claude, hookline, jcli, omp, pi };
