import type { Access } from "@hookline/fleet";
import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import { type Arguments, textFlag } from "../start/args.ts";
import { type FleetPackage, fleetPackage } from "../start/fleet-package.ts";

/** An auditor's access to a fleet's decisions. `code` is the loaded fleet package. */
export interface AuditorHere {
  readonly auditor: Access;
  readonly code: FleetPackage;
}

/**
 * Returns this machine's access as auditor, for a command with `--fleet`. Throws without such access or without the
 * fleet package.
 */
export async function auditorHere(hooklineHome: string, env: Io["env"]): Promise<AuditorHere> {
  const code = await fleetPackage("--fleet needs a package of its own");
  try {
    return { auditor: code.auditorOf(hooklineHome, env), code };
  } catch (thrown) {
    throw wrongUse("--fleet", `cannot be used: ${messageOf(thrown)}`, "Use the creds of an auditor.");
  }
}

/**
 * Returns the machine that `--machine` names; undefined for the whole fleet. Throws for an invalid name, or if
 * `--fleet` is missing.
 */
export function machineFlag(args: Arguments): string | undefined {
  const machine = textFlag(args, "machine");
  if (machine === undefined) return undefined;
  if (args.flags["fleet"] !== true) throw wrongUse("--machine", "has an effect only with --fleet", "Add --fleet.");
  if (/^[a-z0-9-]{1,40}$/.test(machine)) return machine;
  throw wrongUse("--machine", `is not a machine's name: ${machine}`, "Give 1 to 40 of the characters a-z, 0-9 and -.");
}
