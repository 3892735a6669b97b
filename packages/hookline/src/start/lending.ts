import { join } from "node:path";
import type { HostServices, Runtime } from "@hookline/runtime";
import { lentModule } from "../compat/modules.ts";
import type { Mentions } from "../compat/part.ts";
import type { Io } from "../io/io.ts";
import { LentRegistry } from "../provider/lent-registry.ts";
import { readModelsFile } from "../provider/models-file.ts";
import type { Place } from "./place.ts";

/** Provides the packages that modules import, so that the modules load without an agent as they would in a run. */
export async function lendingOf(place: Place, runtime: Runtime, io: Io): Promise<NonNullable<HostServices["modules"]>> {
  const { cwd, hooklineHome } = place;
  const registry = new LentRegistry({ env: io.env, file: await readModelsFile(join(hooklineHome, "models.json")) });
  const lent = { cwd, hooklineHome, processes: runtime.processes, registry };
  return (specifier, mentions?: Mentions) => lentModule(lent, specifier, mentions);
}
