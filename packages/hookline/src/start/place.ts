import { statSync } from "node:fs";
import { resolve } from "node:path";
import { withoutAdapters } from "@hookline/bridge";
import { chooseFrom, type Files } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { systemFiles, wrongUse } from "@hookline/ground/system";
import { abouts } from "@hookline/integrations/abouts";
import { type Consent, HooklineError, TrustStore } from "@hookline/runtime";
import type { Dialect } from "@hookline/runtime/engine";
import {
  approveEverything,
  createHookRuntime,
  FrozenConsent,
  type HookRuntime,
  hooklineHomeOf,
  personHome,
} from "@hookline/runtime/session";
import { itemDialects } from "../item/dialect.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { type Arguments, textFlag } from "./args.ts";
import { type Fleet, fleetLock, fleetOf } from "./fleet.ts";

/** The folders, dialects, settings and approvals of a run: everything except the model. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly hooklineHome: string;
  readonly dialects: readonly Dialect[];
  /** The fleet that this machine belongs to. No flag can leave its hooks out. */
  readonly fleet: Fleet | undefined;
  readonly consent: Consent;
  readonly settings: Settings;
  /** Files with MCP servers that the command line names. */
  readonly mcpFiles: readonly string[];
}

/** Determines the folders, settings and approvals for a command line; throws if it names an unknown dialect. */
export async function placeOf(args: Arguments, io: Io): Promise<Place> {
  const cwd = folderOf(args, io);
  const home = personHome(io.env);
  const hooklineHome = hooklineHomeOf(io.env, home, cwd);
  const settings = readSettings(hooklineHome, cwd, io.managed, home);
  return {
    cwd,
    home,
    hooklineHome,
    settings,
    dialects: (await chosenDialects(args, settings)).map(withoutAdapters),
    fleet: await fleetOf(hooklineHome, io.env, fleetLock(settings, io.managed)),
    consent: consentOf(args, { cwd, home, hooklineHome }),
    mcpFiles: (args.lists["mcp-config"] ?? []).map((path) => resolve(cwd, path)),
  };
}

function folderOf(args: Arguments, io: Io): string {
  const wanted = textFlag(args, "cwd");
  if (wanted === undefined) return io.cwd;
  const cwd = resolve(io.cwd, wanted);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return cwd;
  throw wrongUse("--cwd", `is not a folder: ${cwd}`, "Pass an existing folder.");
}

/** Chooses how hooks are approved. `--frozen` is the strictest option, so it is checked first. */
function consentOf(
  args: Arguments,
  { cwd, home, hooklineHome }: Readonly<Record<"cwd" | "home" | "hooklineHome", string>>,
): Consent {
  if (args.flags["frozen"] === true) return new FrozenConsent(cwd, systemFiles, home);
  return args.flags["trust-project"] === true ? approveEverything : new TrustStore(hooklineHome);
}

/** Makes the hook runtime of a run. Without `keepsAlive`, a hook that never answers does not keep the process alive. */
export function runtimeOf(
  place: Place,
  io: Io,
  { keepsAlive = true, files = systemFiles }: { readonly keepsAlive?: boolean; readonly files?: Files } = {},
): HookRuntime {
  // The runtime refuses an order that names unknown lanes, such as those of dialects that are not loaded.
  const leftOut = Object.entries(abouts).flatMap(([id, { ranks }]) =>
    place.dialects.some((dialect) => dialect.id === id) ? [] : Object.keys(ranks),
  );
  const named = place.settings.user.get("lanes") as readonly string[] | undefined;
  // No setting moves the fleet's two lanes: hooks that run here are asked first, those that its workers run last.
  const [first, last] = place.fleet?.dialect.lanes.map(({ id }) => id) ?? [];
  const others = named?.filter((lane) => !leftOut.includes(lane) && lane !== first && lane !== last);
  const lanes = first === undefined ? others : [first, ...(others ?? [])];
  return createHookRuntime({
    keepsAlive,
    files,
    dialects: [
      ...place.dialects,
      ...itemDialects({ mcpFiles: place.mcpFiles }),
      ...(place.fleet ? [place.fleet.dialect] : []),
    ],
    consent: place.consent,
    // Hooks and tools also get the corrected HOME if it was empty or relative (ruling 58).
    env: { ...io.env, HOME: place.home },
    home: place.home,
    hooklineHome: place.hooklineHome,
    nativeSpawn: place.settings.user.get("nativeSpawn") !== false,
    ...(lanes !== undefined && { lanes }),
  });
}

async function chosenDialects(args: Arguments, settings: Settings): Promise<Dialect[]> {
  if (args.flags["no-hooks"] === true) return [];
  const { formats: dialects } = await import("@hookline/integrations");
  const flag = textFlag(args, "dialects")
    ?.split(",")
    .map((name) => name.trim());
  const managed = settings.managed.get("dialects") as readonly string[] | undefined;
  const names = flag ?? (settings.user.get("dialects") as readonly string[] | undefined);
  const kept = managed?.find((name) => flag !== undefined && !flag.includes(name));
  if (kept !== undefined) {
    const problem = `leaves out "${kept}", which the settings for everybody on this machine load`;
    throw wrongUse("--dialects", problem, `Add ${kept} to the list.`);
  }
  if (names === undefined) return [...dialects];
  const unknown = names.find((name) => !dialects.some(({ id }) => id === name));
  if (unknown !== undefined) {
    const ids = dialects.map(({ id }) => id);
    const problem = `names "${unknown}", which does not exist`;
    if (flag !== undefined) throw wrongUse("--dialects", problem, chooseFrom(unknown, ids));
    throw new HooklineError("INVALID_OPTION", {
      option: "The setting dialects",
      problem,
      remedy: chooseFrom(unknown, ids),
    });
  }
  return dialects.filter(({ id }) => names.includes(id));
}
