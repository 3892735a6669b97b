import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  type Consent,
  createRuntime,
  FrozenConsent,
  HooklineError,
  type Runtime,
  TrustStore,
  trustEverything,
} from "@hookline/runtime";
import { abouts, type Dialect, hooklineHomeOf, personHome, systemFiles } from "@hookline/runtime/internal";
import type { Io } from "../io/io.ts";
import { itemDialects } from "../item/dialect.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { type Arguments, textFlag } from "./args.ts";

/** Everything but a model: where the folders are, which hooks there are, what the settings say. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly hooklineHome: string;
  readonly dialects: readonly Dialect[];
  readonly consent: Consent;
  readonly settings: Settings;
}

/** Works out where a command line acts; throws for dialects that there are not. */
export async function placeOf(args: Arguments, io: Io): Promise<Place> {
  const cwd = folderOf(args, io);
  const home = personHome(io.env);
  const hooklineHome = hooklineHomeOf(io.env, home);
  const settings = readSettings(hooklineHome, cwd, io.managed);
  return {
    cwd,
    home,
    hooklineHome,
    settings,
    dialects: await chosenDialects(args, settings),
    consent: consentOf(args, cwd, hooklineHome),
  };
}

function folderOf(args: Arguments, io: Io): string {
  const wanted = textFlag(args, "cwd");
  if (wanted === undefined) return io.cwd;
  const cwd = resolve(io.cwd, wanted);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return cwd;
  const [problem, remedy] = [`is not a folder: ${cwd}`, "Pass an existing folder."];
  throw new HooklineError("INVALID_OPTION", { option: "--cwd", problem, remedy });
}

/** What a person has agreed to; `--frozen` is the strictest and so the first. */
function consentOf(args: Arguments, cwd: string, hooklineHome: string): Consent {
  if (args.flags["frozen"] === true) return new FrozenConsent(cwd, systemFiles);
  return args.flags["trust-project"] === true ? trustEverything : new TrustStore(hooklineHome);
}

/** The runtime of a place; modes see to it themselves that a run in which nothing can happen any more ends. */
export function runtimeOf(place: Place, io: Io, { keepsAlive = true } = {}): Runtime {
  // A lane of a dialect that is left out has no place in the order.
  const leftOut = Object.entries(abouts).flatMap(([id, { ranks }]) =>
    place.dialects.some((dialect) => dialect.id === id) ? [] : Object.keys(ranks),
  );
  const named = place.settings.user.get("lanes") as readonly string[] | undefined;
  const lanes = named?.filter((lane) => !leftOut.includes(lane));
  return createRuntime({
    keepsAlive,
    dialects: [...place.dialects, ...itemDialects()],
    consent: place.consent,
    // An empty or relative HOME is corrected for hooks and tools, too (decision 58).
    env: { ...io.env, HOME: place.home },
    home: place.home,
    hooklineHome: place.hooklineHome,
    nativeSpawn: place.settings.user.get("nativeSpawn") !== false,
    ...(lanes !== undefined && { lanes }),
  });
}

async function chosenDialects(args: Arguments, settings: Settings): Promise<Dialect[]> {
  if (args.flags["no-hooks"] === true) return [];
  const { dialects } = await import("@hookline/runtime/dialects");
  const flag = textFlag(args, "dialects")
    ?.split(",")
    .map((name) => name.trim());
  const managed = settings.managed.get("dialects") as readonly string[] | undefined;
  const names = flag ?? (settings.user.get("dialects") as readonly string[] | undefined);
  const kept = managed?.find((name) => flag !== undefined && !flag.includes(name));
  if (kept !== undefined) {
    const problem = `leaves out "${kept}", which the settings for everybody on this machine load`;
    throw new HooklineError("INVALID_OPTION", { option: "--dialects", problem, remedy: `Add ${kept} to the list.` });
  }
  if (names === undefined) return [...dialects];
  const unknown = names.find((name) => !dialects.some(({ id }) => id === name));
  if (unknown !== undefined) {
    throw new HooklineError("INVALID_OPTION", {
      option: flag === undefined ? "The setting dialects" : "--dialects",
      problem: `names "${unknown}", which does not exist`,
      remedy: `Choose from ${dialects.map(({ id }) => id).join(",")}.`,
    });
  }
  return dialects.filter(({ id }) => names.includes(id));
}
