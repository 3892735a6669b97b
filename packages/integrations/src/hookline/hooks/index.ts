import type { Dialect } from "@hookline/runtime/dialect";
import { catalog, libraryLane } from "@hookline/runtime/engine";
import { about } from "../about.ts";
import { discover } from "./config.ts";
import { load } from "./load.ts";

/** Runs hookline's own guards, which module files export. */
export const hookline: Dialect = {
  id: "hookline",
  about,
  lanes: [{ ...libraryLane(catalog), id: "hookline" }],
  endsWhenBroken: true,
  discover,
  load,
};
