import type { Access } from "@hookline/fleet";
import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import { type Arguments, textFlag } from "../start/args.ts";

/** The auditor that this machine is, for a command with `--fleet`. Throws if it is none. */
export async function auditorHere(hooklineHome: string, env: Io["env"]): Promise<Access> {
  const { auditorOf } = await import("@hookline/fleet");
  try {
    return auditorOf(hooklineHome, env);
  } catch (thrown) {
    throw wrongUse("--fleet", `cannot be read: ${messageOf(thrown)}`, "`hookline fleet audit` needs the same creds.");
  }
}

/** The machine that `--machine` names; undefined means all of the fleet. Throws for no name, and without `--fleet`. */
export function machineFlag(args: Arguments): string | undefined {
  const machine = textFlag(args, "machine");
  if (machine === undefined) return undefined;
  if (args.flags["fleet"] !== true)
    throw wrongUse("--machine", "names a machine of a fleet, but no fleet is read", "Add --fleet.");
  if (/^[a-z0-9-]{1,40}$/.test(machine)) return machine;
  throw wrongUse("--machine", `is not a machine's name: ${machine}`, "Give 1 to 40 of the characters a-z, 0-9 and -.");
}
