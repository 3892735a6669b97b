import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import {
  type Consent,
  createRuntime,
  type Dialect,
  FrozenConsent,
  HooklineError,
  type Runtime,
  systemFiles,
  TrustStore,
  trustEverything,
} from "@hookline/runtime";
import { itemDialects } from "../item/dialect.ts";
import { hooklineHome } from "../session/directory.ts";
import { type Arguments, textFlag } from "./args.ts";
import type { Io } from "./io.ts";
import { readSettings, type Settings } from "./settings.ts";

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
  const home = hooklineHome(io.env);
  const settings = readSettings(home, cwd);
  return {
    cwd,
    home: io.env["HOME"] ?? homedir(),
    hooklineHome: home,
    settings,
    dialects: await chosenDialects(args, settings),
    consent: consentOf(args, cwd, home),
  };
}

function folderOf(args: Arguments, io: Io): string {
  const wanted = textFlag(args, "cwd");
  if (wanted === undefined) return io.cwd;
  const cwd = resolve(io.cwd, wanted);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return cwd;
  const [problem, remedy] = [`names no folder: ${cwd}`, "Give one that is there."];
  throw new HooklineError("INVALID_OPTION", { option: "--cwd", problem, remedy });
}

/** What a person has agreed to; `--frozen` is the strictest and so the first. */
function consentOf(args: Arguments, cwd: string, hooklineHome: string): Consent {
  if (args.flags["frozen"] === true) return new FrozenConsent(cwd, systemFiles);
  return args.flags["trust-project"] === true ? trustEverything : new TrustStore(hooklineHome);
}

/** The runtime of a place; modes see to it themselves that a run in which nothing can happen any more ends. */
export function runtimeOf(place: Place, io: Io, { keepsAlive = true } = {}): Runtime {
  const lanes = place.settings.values.get("lanes") as readonly string[] | undefined;
  return createRuntime({
    keepsAlive,
    dialects: [...place.dialects, ...itemDialects()],
    consent: place.consent,
    env: io.env,
    home: place.home,
    hooklineHome: place.hooklineHome,
    nativeSpawn: place.settings.values.get("nativeSpawn") !== false,
    ...(lanes !== undefined && { lanes }),
  });
}

async function chosenDialects(args: Arguments, settings: Settings): Promise<Dialect[]> {
  if (args.flags["no-hooks"] === true) return [];
  const { dialects } = await import("@hookline/runtime/dialects");
  const flag = textFlag(args, "dialects")
    ?.split(",")
    .map((name) => name.trim());
  const names = flag ?? (settings.values.get("dialects") as readonly string[] | undefined);
  if (names === undefined) return [...dialects];
  const unknown = names.find((name) => !dialects.some(({ id }) => id === name));
  if (unknown !== undefined) {
    throw new HooklineError("INVALID_OPTION", {
      option: flag === undefined ? "The setting dialects" : "--dialects",
      problem: `names "${unknown}", which is none`,
      remedy: `Choose from ${dialects.map(({ id }) => id).join(",")}.`,
    });
  }
  return dialects.filter(({ id }) => names.includes(id));
}
