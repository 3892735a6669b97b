import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf, VERSION } from "@hookline/ground";
import { EXIT, type Io, plain } from "@hookline/ground/system";
import { hooklineHomeOf, personHome } from "@hookline/runtime/session";
import { hooklineAbove } from "../consent/started-by.ts";
import { readSettings } from "../settings/settings.ts";
import type { Arguments } from "../start/args.ts";
import { type FleetLock, fleetLock } from "../start/fleet.ts";
import { fleetPackage } from "../start/fleet-package.ts";
import { interrupted } from "./interrupted.ts";

/**
 * The subcommands with which a machine leaves its fleet. `join` counts, because it may replace the fleet by another.
 */
const LEAVING: readonly string[] = ["leave", "join"];

/** Throws if the machine is locked into its fleet and the user does not own the lock. */
export function requireUnlocked(lock: FleetLock | undefined, hooklineHome: string, user = process.getuid?.()): void {
  if (lock === undefined || user === lock.owner || !existsSync(join(hooklineHome, "fleet", "fleet.json"))) return;
  throw new Error(
    `this machine is kept in its fleet by fleet.locked in ${lock.path}; only the owner of that file, user ${lock.owner}, may change that`,
  );
}

/** Throws if an agent has started a command for persons: to join or leave a fleet, or to answer an approval request. */
function requirePerson(name: string, action: string | undefined, hooklineHome: string, env: Io["env"]): void {
  const isAnswer = name === "approvals" && (action === "approve" || action === "deny");
  if (!isAnswer && !LEAVING.includes(name)) return;
  const above = hooklineAbove(hooklineHome, env);
  if (above === undefined) return;
  const what = isAnswer ? "answers for the fleet" : "has a machine join or leave a fleet";
  throw new Error(`only a person ${what}, and this command was started by ${above}; run it in a shell of your own`);
}

/** Ends the daemons of this hookline home: their sessions would keep the guards from before the change of fleet. */
async function endDaemons(hooklineHome: string, env: Io["env"], out: Io["out"]): Promise<void> {
  const { daemonsOfHome, endDaemon } = await import("@hookline/bridge");
  for (const daemon of await daemonsOfHome(hooklineHome, env)) {
    const how = await endDaemon(daemon);
    out(
      how === "still there"
        ? `The bridge's daemon of ${plain(daemon.cwd)}, process ${daemon.pid}, does not end; end it yourself.\n`
        : `The bridge's daemon of ${plain(daemon.cwd)} has ended; agents go on with the guards of now.\n`,
    );
  }
}

/** Returns a subcommand of `hookline fleet`, which loads the fleet package when it is called. */
export function fleetCommand(name: string): (args: Arguments, io: Io) => Promise<number> {
  return async ({ words, flags }, io) => {
    const { FLEET_COMMANDS, FleetUsage } = await fleetPackage(`\`hookline fleet ${name}\` needs a package of its own`);
    const command = await FLEET_COMMANDS[name]?.();
    const { env, cwd, out, err } = io;
    const hooklineHome = hooklineHomeOf(env, personHome(env));
    try {
      requirePerson(name, words[0], hooklineHome, env);
      if (LEAVING.includes(name))
        requireUnlocked(fleetLock(readSettings(hooklineHome, cwd, io.managed), io.managed), hooklineHome);
      const code = await command?.(
        { words, flags },
        { env, cwd, hooklineHome, version: VERSION, out, err, ended: () => interrupted(io) },
      );
      if (code === EXIT.fine && LEAVING.includes(name)) await endDaemons(hooklineHome, env, out);
      return code ?? EXIT.failed;
    } catch (thrown) {
      err(`hookline: ${plain(messageOf(thrown))}\n`);
      if (!(thrown instanceof FleetUsage)) return EXIT.failed;
      err(`\`hookline fleet ${name} --help\` shows what it takes.\n`);
      return EXIT.usage;
    }
  };
}
