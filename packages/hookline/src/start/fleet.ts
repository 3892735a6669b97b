import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Access, Decisions, Membership, RemoteApprovers } from "@hookline/fleet";
import { messageOf, systemClock, VERSION } from "@hookline/ground";
import type { Io, ManagedPlace } from "@hookline/ground/system";
import type { HooklineError } from "@hookline/runtime";
import type { Dialect } from "@hookline/runtime/engine";
import { MANAGED_SETTINGS, type Settings, settingOf } from "../settings/settings.ts";
import { type FleetPackage, fieldIn, fleetPackage } from "./fleet-package.ts";
import type { Place } from "./place.ts";

/** The settings file that forbids a machine to leave its fleet (the machines that ask the same hooks). */
export interface FleetLock {
  readonly path: string;
  /** The id of the user that owns the file and may change it. */
  readonly owner: number;
}

/** Returns the lock that forbids leaving the fleet; `undefined` if any user of the machine may leave. */
export function fleetLock(
  { managed }: Pick<Settings, "managed">,
  place: ManagedPlace = MANAGED_SETTINGS,
): FleetLock | undefined {
  return managed.get("fleet.locked") === true ? { path: place.path, owner: place.uid } : undefined;
}

/** The prefix of environment variables that make a run part of a fleet. */
const VARIABLES = "HOOKLINE_FLEET_";

/** Matches a valid name of a fleet. Messages show only such names, because the file may contain any text. */
const NAME = /^[a-z0-9-]{1,40}$/;

/** The fleet that this machine belongs to (the machines that ask the same hooks), as a run uses it. */
export interface Fleet {
  /** Provides the fleet's hooks. If the fleet cannot be read, it refuses every guarded call instead. */
  readonly dialect: Dialect;
  /** The fleet's package; absent if it cannot be loaded. `problem` then says what to install. */
  readonly code?: FleetPackage;
  /** The machine's membership in the fleet; absent if the fleet cannot be read. */
  readonly membership?: Membership;
  /** The address and credentials of the fleet's server. An auditor's machine has these, but not the fleet's hooks. */
  readonly access?: Access;
  /** The reason why the fleet cannot be read; absent if it can. */
  readonly problem?: string;
  /** Opens the spool for this machine's decisions; absent for an unreadable fleet. Calls `lost` if some are lost. */
  readonly decisions?: (lost: (problem: string) => void) => Decisions;
}

/** Makes the object that asks the fleet's people for approvals; undefined if `fleet.approvals` is off. */
export function elsewhereOf(
  { settings, fleet }: Pick<Place, "settings" | "fleet">,
  env: Io["env"],
  tell: (line: string) => void,
): RemoteApprovers | undefined {
  const { membership, code } = fleet ?? {};
  if (membership === undefined || code === undefined || settingOf(settings, "fleet.approvals").value !== true)
    return undefined;
  const { RemoteApprovers, keptRoot } = code;
  return new RemoteApprovers({ membership, clock: systemClock, env, root: () => keptRoot(membership), tell });
}

/**
 * Returns the fleet that this machine belongs to, by hookline's home or by the environment, never by a project. If an
 * administrator has locked the machine into its fleet, the environment is ignored. Without a sign of a fleet, none of
 * its code is loaded. A fleet that cannot be read is not treated as missing: every guarded call is refused.
 */
export async function fleetOf(
  hooklineHome: string,
  env: Io["env"],
  lock: FleetLock | undefined,
  load: typeof fleetPackage = fleetPackage,
): Promise<Fleet | undefined> {
  const path = join(hooklineHome, "fleet", "fleet.json");
  const hasJoined = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const variable = Object.keys(env).find((name) => name.startsWith(VARIABLES) && (env[name] ?? "") !== "");
  const sign = hasJoined ? path : (variable ?? lock?.path);
  if (sign === undefined) return undefined;
  const named = fieldIn(path, "fleet") ?? "";
  const name = NAME.test(named) ? named : undefined;
  const unreadable = (problem: string, remedy?: string): Pick<Fleet, "dialect" | "problem"> => ({
    dialect: brokenDialect(name === undefined ? "the fleet" : `fleet ${name}`, sign, { problem, remedy }),
    problem,
  });
  let code: FleetPackage;
  try {
    const says = hasJoined
      ? `${path} is there`
      : variable !== undefined
        ? `${variable} is set`
        : `fleet.locked is set in ${sign}`;
    code = await load(`this machine belongs to ${name === undefined ? "a fleet" : `fleet ${name}`}`, `, and ${says}`);
  } catch (thrown) {
    return unreadable(messageOf(thrown), (thrown as HooklineError).hint);
  }
  const own = lock !== undefined && hasJoined ? {} : env;
  try {
    const membership = code.membership(hooklineHome, own);
    if (membership === undefined) return hasJoined ? { code, ...unreadable(`${path} cannot be read`) } : undefined;
    const { url, creds } = membership;
    const link = new code.CountedLink({ url, creds, clock: systemClock });
    let decisions: Decisions | undefined;
    const uses = (manifest: Parameters<Decisions["follow"]>[0]): void => decisions?.follow(manifest);
    return {
      code,
      dialect: code.fleetDialect({ membership, link, version: VERSION, uses }),
      membership,
      access: membership,
      decisions: (lost) => (decisions = code.openDecisions({ membership, link, lost })),
    };
  } catch (thrown) {
    return { code, ...unreadable(messageOf(thrown)), ...accessOf() };
  }

  function accessOf(): Pick<Fleet, "access"> {
    try {
      const access = code.access(hooklineHome, own);
      return access === undefined ? {} : { access };
    } catch {
      return {};
    }
  }
}

/**
 * Makes a dialect in place of the hooks of a fleet that cannot be read. Its one source is required and broken, so every
 * guarded call is refused: any hook of the fleet might guard it.
 */
function brokenDialect(
  name: string,
  path: string,
  { problem: reason, remedy }: { readonly problem: string; readonly remedy: string | undefined },
): Dialect {
  const lane = { id: "fleet", rows: [], isolate: false, live: false } as const;
  const source = { path, tier: "managed", dialect: lane.id } as const;
  const candidates = [{ source, files: [], lane: lane.id, state: "broken", reason, definition: undefined }] as const;
  return {
    id: lane.id,
    lanes: [lane],
    mustLoad: [{ name, path }],
    async discover() {
      const told = { code: "FLEET_PACKAGE", severity: "error", message: reason, source } as const;
      return { searched: [path], diagnostics: remedy === undefined ? [] : [{ ...told, hint: remedy }], candidates };
    },
    load: async () => {},
  };
}
