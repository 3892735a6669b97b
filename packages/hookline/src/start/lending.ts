import { join } from "node:path";
import type { Io } from "@hookline/ground/system";
import type { HostServices } from "@hookline/runtime";
import type { HookRuntime } from "@hookline/runtime/session";
import { type Lent, lentModule } from "../lent/modules.ts";
import type { Mentions } from "../lent/part.ts";
import { LentRegistry } from "../provider/lent-registry.ts";
import { readModelsFile } from "../provider/models-file.ts";
import { guardSession } from "../settings/parts.ts";
import type { Place } from "./place.ts";

/** Makes the loader through which modules of hooks import the agent's packages, such as pi's. */
export function lending(lent: Lent): NonNullable<HostServices["modules"]> {
  return (specifier, mentions?: Mentions) => lentModule(lent, specifier, mentions);
}

/** Makes the loader of the agent's packages for modules of hooks that are loaded without an agent. */
export async function lendingOf(
  place: Place,
  runtime: HookRuntime,
  io: Io,
): Promise<NonNullable<HostServices["modules"]>> {
  const { cwd, hooklineHome } = place;
  const guards = guardSession(place, () => place.settings);
  const registry = new LentRegistry({ env: io.env, file: await readModelsFile(join(hooklineHome, "models.json")) });
  return lending({ cwd, hooklineHome, processes: runtime.processes, registry, guards });
}
