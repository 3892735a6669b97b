import type { Dialect } from "@hookline/runtime/dialect";
import { about } from "../about.ts";
import { discover } from "./config.ts";
import { isDefinition } from "./definition.ts";
import { rows } from "./events.ts";
import { register } from "./run.ts";

/** Runs j-cli's hooks: shell commands and questions to a model, defined in YAML. Source: seed 003. */
export const jcli: Dialect = {
  id: "jcli",
  about,
  lanes: [
    { id: "jcli", rows, isolate: false, live: false, texts: { fields: ["retry_feedback", "additional_context"] } },
  ],
  discover,
  load({ definition, source, files }, instance, around) {
    if (!isDefinition(definition)) throw new Error("there is no hook in this definition; run the discovery again");
    register(definition, instance, { around, source, scripts: files.slice(1) });
  },
};
