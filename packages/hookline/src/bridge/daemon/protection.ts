import { join } from "node:path";
import type { Session } from "@hookline/runtime";
import { guessesOf, kindOf, patchPaths, piTools, type ToolKind, withPlainSpaces } from "@hookline/runtime/internal";
import { ProtectedPlaces } from "../../protect/places.ts";
import type { Place } from "../../start/place.ts";
import { expandPath } from "../../tool/path.ts";
import type { BridgeHost } from "../host.ts";

/** Gives why a call of a host's tool must not run. */
export type Protection = (tool: string, args: Readonly<Record<string, unknown>>) => string | undefined;

/** Kinds of tools that change no file. */
const HARMLESS: ReadonlySet<ToolKind | undefined> = new Set(["reads", "searches", "fetches", "starts"]);

/** A command that applies a patch, as Codex does itself. Nothing else of commands is looked at. */
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
    // pi's tools have the catalogue's names.
    const kind = kindOf(host.tools, tool) ?? kindOf(piTools, tool);
    if (HARMLESS.has(kind)) return undefined;
    const texts = textsIn(args);
    const isShell = kind === "runs" || tool === "bash";
    const isPatch = !isShell || texts.some((text) => PATCH.test(text));
    const files = [...(isShell ? [] : changed(args)), ...(isPatch ? texts.flatMap(patchPaths) : [])];
    const reached = files.find((path) =>
      [path, withPlainSpaces(path)].some((one) => places.reached(expandPath(one)) !== undefined),
    );
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
  return guessesOf(args).flatMap(({ argument, name }) => (argument === "path" ? textsIn(args[name]) : []));
}

/** Every text of a call, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
