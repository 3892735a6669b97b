import type { Dialect } from "../dialect.ts";
import { about } from "./about.ts";
import { discover } from "./config.ts";
import { isDefinition } from "./definition.ts";
import { rows } from "./events.ts";
import { register } from "./run.ts";

/** j-cli's hooks: shell commands and questions to a model, defined in YAML. Source: seed 003. */
export const jcli: Dialect = {
  id: "jcli",
  about,
  lanes: [{ id: "jcli", rows, isolate: false, live: false }],
  discover,
  load({ definition, source, files }, instance, around) {
    if (!isDefinition(definition)) throw new Error("there is no hook in this definition; run the discovery again");
    register(definition, instance, { around, line: source.line, scripts: files.slice(1) });
  },
};
