import { join } from "node:path";
import type { Session } from "@hookline/runtime";
import { ProtectedPlaces } from "../../protect/places.ts";
import type { Place } from "../../start/place.ts";
import { expandPath } from "../../tool/path.ts";
import type { BridgeHost } from "../host.ts";

/** Gives why a call of a host's tool must not run. */
export type Protection = (tool: string, args: Readonly<Record<string, unknown>>) => string | undefined;

/** Tools that change no file, by the names that hooks know them by. */
const READERS: ReadonlySet<string> = new Set(["read", "grep", "find", "ls"]);

/** The tool whose commands are not looked at, but for a patch in them, which Codex applies itself. */
const SHELL = "bash";

/** What tools of hosts call the file that they change. */
const PATHS: readonly string[] = ["path", "file_path", "filePath", "absolute_path", "notebook_path", "target_file"];

/** The lines of a patch that name the files that it changes; Codex takes them with room before them, too. */
const PATCHED = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):(.+)$/gim;
const PATCH = /apply_?patch/;

/**
 * Keeps a host's file tools from what decides about hooks: its own adapter, hookline's home with the client, and the hook
 * files of every dialect. What a shell does is not looked at; that is told as a loss.
 */
export function protectionOf(
  host: BridgeHost,
  { cwd, home, hooklineHome }: Place,
  hooks: Session,
  env: Readonly<Record<string, string>>,
): Protection {
  const adapter = host.places
    .flatMap((place) => [place, ...moved(place, host, env)])
    .map((place) => place.replace(/^~(?=\/)/, home))
    .map((place) => join("/", abs(place, cwd)));
  const places = new ProtectedPlaces({
    cwd,
    hooklineHome,
    env,
    hookPlaces: () => [...adapter, ...hooks.reach.places],
    wouldReach: (path) => hooks.reach.wouldReach(path),
  });
  return (tool, args) => {
    if (READERS.has(tool)) return undefined;
    const files = tool === SHELL ? patchedBy(args) : changed(args);
    const reached = files.find((path) => places.reached(expandPath(path)) !== undefined);
    return reached === undefined
      ? undefined
      : `${reached} decides which hooks run, so only a person may change it. Nothing was changed; ask the person to do it.`;
  };
}

/** Where a place lies instead, for a person who has moved its folder. */
function moved(place: string, { movedBy = {} }: BridgeHost, env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(movedBy).flatMap(([variable, folder]) => {
    const other = env[variable] ?? "";
    return other !== "" && place.startsWith(`${folder}/`) ? [`${other}${place.slice(folder.length)}`] : [];
  });
}

function abs(place: string, cwd: string): string {
  return place.startsWith("/") ? place : join(cwd, place);
}

/** Every file that a call names as one to change. */
function changed(args: Readonly<Record<string, unknown>>): string[] {
  const named = PATHS.flatMap((name) => (typeof args[name] === "string" ? [args[name]] : []));
  return [...named, ...patchedIn(textsIn(args))];
}

/** The files of a patch that a command applies. */
function patchedBy(args: Readonly<Record<string, unknown>>): string[] {
  const texts = textsIn(args);
  return texts.some((text) => PATCH.test(text)) ? patchedIn(texts) : [];
}

function patchedIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => [...text.matchAll(PATCHED)].map(([, path = ""]) => path.trim()));
}

/** Every text of a call, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
