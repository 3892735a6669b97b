import type { Io } from "@hookline/ground/system";
import { type ModelFlags, type OpenedModels, openModels } from "../provider/models.ts";
import { type Arguments, textFlag } from "./args.ts";
import type { Place } from "./place.ts";

/** The flags that choose a model, by their names in `ModelFlags`. */
const FLAGS = { model: "model", baseUrl: "base-url", api: "api", script: "script" } as const;

/**
 * Sets up the registry of models and chooses a model. If none is available, throws an error that says what to fix. With
 * `orDemo`, a demo takes the place of a missing model.
 */
export function modelsOf(args: Arguments, io: Io, place: Place, orDemo = false): Promise<OpenedModels> {
  const given = Object.entries(FLAGS).flatMap(([name, flag]) => {
    const text = textFlag(args, flag);
    return text === undefined ? [] : [[name, text] as const];
  });
  return openModels({ flags: Object.fromEntries(given) as ModelFlags, env: io.env, home: place.hooklineHome, orDemo });
}

/** Whether the command line chooses a model. */
export function choosesModel(args: Arguments): boolean {
  return Object.values(FLAGS).some((flag) => args.flags[flag] !== undefined);
}
