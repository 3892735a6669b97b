import type { About } from "@hookline/runtime/dialect";
import { about as chibi } from "./chibi/about.ts";
import { about as claude } from "./claude/about.ts";
import { about as hookline } from "./hookline/about.ts";
import { about as jcli } from "./jcli/about.ts";
import { about as omp } from "./omp/about.ts";
import { about as pi } from "./pi/about.ts";

/** Describes each dialect that comes with the library, by its id, without loading the dialect. */
export const abouts: Readonly<Record<string, About>> = { hookline, pi, omp, jcli, chibi, claude };

export { GUARD_FILE } from "./hookline/about.ts";
