import { FLEET_COMMANDS } from "../../src/command/all.ts";
import type { FleetArgs } from "../../src/command/io.ts";
import type { TestFleet } from "./fleet.ts";

/**
 * Runs `hookline fleet NAME` with a machine's creds in the environment, and a root's SHA-256 if one is given, in a folder
 * that has joined nothing.
 */
export async function runAs(
  fleet: TestFleet,
  machine: string,
  name: string,
  { words = [], flags = {}, root }: Partial<FleetArgs> & { readonly root?: string },
): Promise<{ readonly code: number | undefined; readonly out: string }> {
  let out = "";
  const command = await FLEET_COMMANDS[name]?.();
  const code = await command?.(
    { words, flags },
    {
      env: {
        HOOKLINE_FLEET_URL: fleet.url,
        HOOKLINE_FLEET_CREDS: fleet.text(machine),
        ...(root !== undefined && { HOOKLINE_FLEET_ROOT: root }),
      },
      cwd: fleet.place,
      hooklineHome: fleet.place,
      version: "0.0.0-test",
      out: (text) => {
        out += text;
      },
      err: () => {},
      ended: () => Promise.resolve(),
    },
  );
  return { code, out };
}
