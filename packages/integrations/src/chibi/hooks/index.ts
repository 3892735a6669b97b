import type { Dialect } from "@hookline/runtime/dialect";
import { about } from "../about.ts";
import { discover } from "./config.ts";
import { points } from "./events.ts";
import { load } from "./load.ts";

/**
 * Runs chibi's plugins: executables that describe themselves when called with `--schema`, and get events in an
 * environment variable. Source: seed 004.
 */
export const chibi: Dialect = {
  id: "chibi",
  about,
  lanes: [
    { id: "chibi", rows: points, isolate: false, live: false, texts: { fields: ["reason", "message", "inject"] } },
  ],
  discover,
  load,
};
