import { isAbsolute, join } from "node:path";
import {
  type Fields,
  isFields,
  jsonLines,
  messageOf,
  pointerPart,
  readJsonText,
  withoutComments,
} from "@hookline/ground";
import { lookAt, namesIn, textAt } from "@hookline/ground/system";
import { type HookHost, imports } from "@hookline/integrations/imports";

/** A hook as the file of its own program defines it. */
export interface ForeignHook {
  readonly event: string;
  readonly matcher: unknown;
  readonly handler: unknown;
  /** The line of the hook in its file, from 1. */
  readonly line: number;
  /** JSON pointer of the hook in its file. */
  readonly pointer: string;
}

/** A hook file of another program. */
export interface ForeignFile {
  readonly host: HookHost;
  readonly path: string;
  readonly scope: "project" | "home";
  readonly hooks: readonly ForeignHook[];
  /** Whether the file itself turns all its hooks off. */
  readonly isOff: boolean;
  /** The parts of the file that could not be read, with the reasons. */
  readonly problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the path of a host's file in the home folder. An environment variable of the host may name another folder for
 * the file; a relative path in the variable is ignored.
 */
export function homePath(place: string, { moved }: HookHost, home: string, env: Environment): string {
  const given = moved === undefined ? "" : (env[moved.variable] ?? "");
  const folder = given.startsWith("~/") ? join(home, given.slice(2)) : given;
  const within = moved === undefined || moved.folder === "" ? "" : `${moved.folder}/`;
  if (moved === undefined || !isAbsolute(folder) || !place.startsWith(within)) return join(home, place);
  return join(folder, place.slice(within.length));
}

/** Lists all hook files of other programs in a project and a home folder, without those that have no hooks. */
export function foreignFiles(project: string, home: string, env: Environment): ForeignFile[] {
  const found: ForeignFile[] = [];
  for (const host of imports) {
    for (const [scope, places] of [
      // If the project is the home folder, its files are the person's own, so they are read once.
      ["project", project === home ? [] : host.project.map((place) => join(project, place))],
      ["home", host.home.map((place) => homePath(place, host, home, env))],
    ] as const) {
      for (const path of places.flatMap(pathsOf)) {
        const file = readFile(host, path);
        if (file.hooks.length + file.problems.length > 0) found.push({ host, path, scope, ...file });
      }
    }
  }
  return found;
}

function pathsOf(place: string): string[] {
  if (!place.endsWith("/*.json")) return lookAt(place).kind === "nothing" ? [] : [place];
  const folder = place.slice(0, -"/*.json".length);
  const look = lookAt(folder);
  if (look.kind === "unusable") return [folder];
  const names = look.kind === "folder" ? namesIn(folder, { tier: "project", report: () => {} }) : [];
  return names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
}

type Read = Pick<ForeignFile, "hooks" | "isOff" | "problems">;

const unread = (problem: string): Read => ({ hooks: [], isOff: false, problems: [problem] });

const TOML = "its hooks are in TOML, which hookline does not read; move them to hooks.json beside it, or rewrite them";

function readFile(host: HookHost, path: string): Read {
  let text: string;
  try {
    text = textAt(path);
  } catch (thrown) {
    return unread(messageOf(thrown));
  }
  if (path.endsWith(".toml"))
    return /^[ \t]*\[+[ \t]*hooks\b/m.test(text) ? unread(TOML) : { hooks: [], isOff: false, problems: [] };
  const bare = withoutComments(text);
  const parsed = readJsonText(bare);
  if ("problem" in parsed) return unread(`line ${parsed.line}: ${parsed.problem}`);
  if (!isFields(parsed.value)) return unread("it is not a JSON object");
  const { hooks } = parsed.value;
  if (hooks === undefined) return { hooks: [], isOff: false, problems: [] };
  if (!isFields(hooks)) return unread('its "hooks" is not an object');
  return { ...hooksIn(host, hooks, jsonLines(bare)), isOff: isOff(parsed.value, hooks) };
}

/** Whether a file contains a switch that turns all its hooks off. */
function isOff({ disableAllHooks, hooksConfig }: Fields, hooks: Fields): boolean {
  return (
    disableAllHooks === true ||
    (isFields(hooksConfig) && hooksConfig["enabled"] === false) ||
    hooks["enabled"] === false
  );
}

function hooksIn(host: HookHost, events: Fields, lines: (pointer: string) => number): Omit<Read, "isOff"> {
  const hooks: ForeignHook[] = [];
  const problems: string[] = [];
  for (const [event, list] of Object.entries(events)) {
    // Gemini puts switches for all hooks among the events; their values are neither lists nor objects.
    if (!Array.isArray(list) && !isFields(list)) continue;
    const at = `/hooks/${pointerPart(event)}`;
    if (!Array.isArray(list)) problems.push(`line ${lines(at)}: ${event} is not a list`);
    for (const [i, one] of (Array.isArray(list) ? list : []).entries()) {
      const line = lines(`${at}/${i}`);
      const inner = isFields(one) ? one["hooks"] : undefined;
      if (!isFields(one)) problems.push(`line ${line}: an entry of ${event} is not an object`);
      // Every host may group hooks in a list `hooks`, as Claude Code does, even one that normally lists them directly.
      else if (Array.isArray(inner))
        for (const [k, handler] of inner.entries()) {
          const pointer = `${at}/${i}/hooks/${k}`;
          hooks.push({ event, matcher: one["matcher"], handler, line: lines(pointer), pointer });
        }
      else if (host.shape === "flat") {
        const { matcher, ...handler } = one;
        hooks.push({ event, matcher, handler, line, pointer: `${at}/${i}` });
      } else problems.push(`line ${line}: a group of ${event} has no list "hooks"`);
    }
  }
  return { hooks, problems };
}
