import { hooklineHomeOf, messageOf, personHome } from "@hookline/runtime/internal";
import { EXIT, type Io } from "../io/io.ts";
import { plain } from "../io/table.ts";
import { VERSION } from "../io/version.ts";
import type { Arguments } from "../start/args.ts";
import { interrupted } from "./interrupted.ts";

/** A subcommand of `hookline fleet`; the fleet's package has them, and is loaded when one is called. */
export function fleetCommand(name: string): (args: Arguments, io: Io) => Promise<number> {
  return async ({ words, flags }, io) => {
    const { FLEET_COMMANDS, FleetUsage } = await import("@hookline/fleet/command");
    const command = await FLEET_COMMANDS[name]?.();
    const { env, cwd, out, err } = io;
    const hooklineHome = hooklineHomeOf(env, personHome(env));
    try {
      const code = await command?.(
        { words, flags },
        { env, cwd, hooklineHome, version: VERSION, out, err, ended: () => interrupted(io) },
      );
      return code ?? EXIT.failed;
    } catch (thrown) {
      err(`hookline: ${plain(messageOf(thrown))}\n`);
      if (!(thrown instanceof FleetUsage)) return EXIT.failed;
      err(`\`hookline fleet ${name} --help\` shows what it takes.\n`);
      return EXIT.usage;
    }
  };
}
