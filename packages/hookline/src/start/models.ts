import type { Io } from "@hookline/ground/system";
import { type ModelFlags, type OpenedModels, openModels } from "../provider/models.ts";
import { type Arguments, textFlag } from "./args.ts";
import type { Place } from "./place.ts";

/** The flags that choose a model, by the provider layer's names for them. */
const FLAGS = { model: "model", baseUrl: "base-url", api: "api", script: "script" } as const;

/** The models of a place, and the chosen one. If none is available, the error says what the person must fix; with `orDemo`, a demo stands in. */
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
