import type { Dialect } from "@hookline/runtime/dialect";
import { about } from "../about.ts";
import { discover } from "./config.ts";
import { points } from "./events.ts";
import { load } from "./load.ts";

/** chibi: executables that describe themselves with `--schema` and take hooks through the environment. Source: seed 004. */
export const chibi: Dialect = {
  id: "chibi",
  about,
  lanes: [
    { id: "chibi", rows: points, isolate: false, live: false, texts: { fields: ["reason", "message", "inject"] } },
  ],
  discover,
  load,
};
