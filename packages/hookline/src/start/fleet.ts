import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Access, Decisions, Elsewhere, Membership } from "@hookline/fleet";
import { systemClock, VERSION } from "@hookline/ground";
import type { Io, ManagedPlace } from "@hookline/ground/system";
import type { Dialect } from "@hookline/runtime/engine";
import { MANAGED_SETTINGS, type Settings, settingOf } from "../settings/settings.ts";
import type { Place } from "./place.ts";

/** Who may take a machine out of its fleet. */
export interface FleetLock {
  /** The file that says so. */
  readonly path: string;
  /** The user that owns it. */
  readonly owner: number;
}

/** Who alone may take this machine out of its fleet; `undefined` if whoever uses it may. */
export function fleetLock(
  { managed }: Pick<Settings, "managed">,
  place: ManagedPlace = MANAGED_SETTINGS,
): FleetLock | undefined {
  return managed.get("fleet.locked") === true ? { path: place.path, owner: place.uid } : undefined;
}

/** What the variables begin with that make a run part of a fleet. */
const VARIABLES = "HOOKLINE_FLEET_";

/** The fleet of this machine, as a run takes part in it. */
export interface Fleet {
  /** Its remote hooks. */
  readonly dialect: Dialect;
  /** Who this machine is there; absent if the fleet cannot be read. */
  readonly membership?: Membership;
  /** How it reaches the fleet; there for one who follows no policy, too. */
  readonly access?: Access;
  /** Why the fleet cannot be read. */
  readonly problem?: string;
  /** Opens the spool of what is decided here; absent if the fleet cannot be read. `lost` is told what is missing. */
  readonly decisions?: (lost: (problem: string) => void) => Decisions;
}

/**
 * Asks the approvers of this machine's fleet about calls; nothing where the person has not turned that on. `tell` is
 * called with a line for the person.
 */
export async function elsewhereOf(
  { settings, fleet }: Pick<Place, "settings" | "fleet">,
  env: Io["env"],
  tell: (line: string) => void,
): Promise<Elsewhere | undefined> {
  const membership = fleet?.membership;
  if (membership === undefined || settingOf(settings, "fleet.approvals").value !== true) return undefined;
  const { Elsewhere, keptRoot } = await import("@hookline/fleet");
  return new Elsewhere({ membership, clock: systemClock, env, root: () => keptRoot(membership), tell });
}

/**
 * The fleet that this machine belongs to, by hookline's home or by the environment; a project has no say. Where the
 * machine is locked into the fleet of its home, the environment has none either. Without a fleet nothing of it is loaded.
 */
export async function fleetOf(hooklineHome: string, env: Io["env"], isLocked: boolean): Promise<Fleet | undefined> {
  const isGiven = Object.entries(env).some(([name, value]) => name.startsWith(VARIABLES) && value !== "");
  const path = join(hooklineHome, "fleet", "fleet.json");
  const hasJoined = existsSync(path);
  if (!isGiven && !hasJoined) return undefined;
  const fleet = await import("@hookline/fleet");
  const { fleetDialect, openDecisions, CountedLink } = fleet;
  const own = isLocked && hasJoined ? {} : env;
  try {
    const membership = fleet.membership(hooklineHome, own);
    if (membership === undefined) return undefined;
    const { url, creds } = membership;
    const link = new CountedLink({ url, creds, clock: systemClock });
    let decisions: Decisions | undefined;
    const uses = (manifest: Parameters<Decisions["follow"]>[0]): void => decisions?.follow(manifest);
    return {
      dialect: fleetDialect({ membership, link, version: VERSION, uses }),
      membership,
      access: membership,
      decisions: (lost) => (decisions = openDecisions({ membership, link, lost })),
    };
  } catch (thrown) {
    const problem = (thrown as Error).message;
    return {
      dialect: fleetDialect({ membership: { problem, from: path } }),
      problem,
      ...accessOf(),
    };
  }

  function accessOf(): Pick<Fleet, "access"> {
    try {
      const access = fleet.access(hooklineHome, own);
      return access === undefined ? {} : { access };
    } catch {
      return {};
    }
  }
}
