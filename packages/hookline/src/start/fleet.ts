import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "@hookline/runtime/internal";
import type { Io } from "../io/io.ts";
import { VERSION } from "../io/version.ts";

/** What the variables begin with that make a run part of a fleet. */
const VARIABLES = "HOOKLINE_FLEET_";

/**
 * The remote hooks of the fleet that this machine belongs to, by hookline's home or by the environment; a project has no
 * say. Without a fleet nothing of it is loaded.
 */
export async function fleetOf(hooklineHome: string, env: Io["env"]): Promise<Dialect | undefined> {
  const isGiven = Object.entries(env).some(([name, value]) => name.startsWith(VARIABLES) && value !== "");
  const path = join(hooklineHome, "fleet", "fleet.json");
  if (!isGiven && !existsSync(path)) return undefined;
  const { fleetDialect, membership } = await import("@hookline/fleet");
  try {
    const found = membership(hooklineHome, env);
    return found && fleetDialect({ membership: found, version: VERSION });
  } catch (thrown) {
    return fleetDialect({ membership: { problem: (thrown as Error).message, from: path } });
  }
}
