import { type BridgeHost, placesIn } from "@hookline/bridge";
import type { Protection } from "@hookline/bridge/daemon";
import { guessesOf, kindOf, patchPaths, type ToolKind, withPlainSpaces } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import { changesHome, type HomePlace, neverRun } from "../protect/never.ts";
import { ProtectedPlaces } from "../protect/places.ts";
import type { Place } from "../start/place.ts";
import { BUILTIN, isBuiltin } from "../tool/names.ts";
import { expandPath } from "../tool/path.ts";

/** Kinds of tools that change no file. */
const HARMLESS: ReadonlySet<ToolKind | undefined> = new Set(["reads", "searches", "fetches", "starts"]);

/** A shell command that applies a patch, as Codex does. */
const PATCH = /apply_?patch/;

/**
 * Makes the check that refuses a host's tool calls if they would change which hooks run. File tools may not change the
 * host's adapter, hookline's home, nor the hook files of any dialect. Shell commands may not change hookline's home,
 * nor run the commands that `neverRun` finds. Their other effects are not checked.
 */
export function protectionOf(
  host: BridgeHost,
  { cwd, home, hooklineHome }: Place,
  hooks: HookSession,
  env: Readonly<Record<string, string>>,
): Protection {
  const adapter = placesIn(host, host.places, { cwd, home, env });
  const places = new ProtectedPlaces({
    cwd,
    hooklineHome,
    env,
    hookPlaces: () => [...adapter, ...hooks.reach.places],
    wouldReach: (path) => hooks.reach.wouldReach(path),
  });
  return (tool, args) => {
    const kind = kindOf(host.tools, tool) ?? (isBuiltin(tool) ? BUILTIN[tool] : undefined);
    if (HARMLESS.has(kind)) return undefined;
    const texts = textsIn(args);
    const isShell = kind === "runs" || tool === "bash";
    const isPatch = !isShell || texts.some((text) => PATCH.test(text));
    const files = [...(isShell ? [] : changed(args)), ...(isPatch ? texts.flatMap(patchPaths) : [])];
    const reached = files.find((path) =>
      [path, withPlainSpaces(path)].some((one) => places.reached(expandPath(one)) !== undefined),
    );
    if (reached !== undefined)
      return `${reached} decides which hooks run, so only a person may change it. Nothing was changed; ask the person to do it.`;
    return isShell ? shellReason(texts, { cwd, home, hooklineHome }) : undefined;
  };
}

async function shellReason(texts: readonly string[], place: HomePlace): Promise<string | undefined> {
  // Some hosts pass a command as a list of words.
  for (const text of texts.length > 1 ? [...texts, texts.join(" ")] : texts) {
    const reason = (await neverRun(text)) ?? (await changesHome(text, place));
    if (reason !== undefined) return `${reason} Nothing was run; ask the person to do it.`;
  }
  return undefined;
}

/** Returns the paths that a call names as files to change. */
function changed(args: Readonly<Record<string, unknown>>): string[] {
  return guessesOf(args).flatMap(({ argument, name }) => (argument === "path" ? textsIn(args[name]) : []));
}

/** Collects every string in a call's arguments, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
