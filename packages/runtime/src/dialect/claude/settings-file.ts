import { readJson } from "../../decode/json.ts";
import { jsonLines } from "../../decode/lines.ts";
import { isRecord } from "../edits.ts";
import { isEvent } from "./fields.ts";

/** One group of handlers from a file, unchecked. */
export interface RawHandler {
  readonly event: string;
  /** The group's matcher, whatever it is. */
  readonly matcher: unknown;
  readonly handler: unknown;
  /** 1-based. */
  readonly line: number;
}

/** A problem in a file, with its line. */
export interface FilePart {
  readonly line: number;
  readonly problem: string;
  readonly remedy: string;
}

/** A file of settings, read. */
export interface SettingsFile {
  readonly handlers: readonly RawHandler[];
  /** The parts of `hooks` with the wrong shape. */
  readonly faults: readonly FilePart[];
  /** Whether it has the key at all. */
  readonly hasHooks: boolean;
  /** Every other key. */
  readonly settings: Readonly<Record<string, unknown>>;
  lineOf(key: string): number;
}

/** A file without valid settings. */
export interface Unreadable {
  readonly problem: string;
}

/**
 * Reads a file of settings or a plugin's `hooks.json`: `{"hooks": {EVENT: [{"matcher", "hooks": [HANDLER…]}]}}`. A
 * group with the wrong shape disables only itself. Source: spec/claude.md 1.
 */
export function readSettings(bytes: Uint8Array): SettingsFile | Unreadable {
  const read = readJson(bytes);
  if (!read.ok) return { problem: read.message };
  const { value } = read;
  if (!isRecord(value)) return { problem: "it is not a JSON object" };
  const lines = jsonLines(bytes);
  const { hooks, ...settings } = value;
  const { handlers, faults } = hooks === undefined ? NO_HOOKS : readGroups(hooks, lines, "/hooks");
  const twice = read.duplicates.flatMap((pointer) => repeated(pointer, lines));
  return {
    handlers,
    faults: [...twice, ...faults, ...outside(settings, lines)],
    hasHooks: hooks !== undefined,
    settings,
    lineOf: (key) => lines(`/${key}`),
  };
}

/** A duplicate name of hooks or rules: the first value is lost, and its author would miss it. */
function repeated(pointer: string, lines: (pointer: string) => number): FilePart[] {
  const [, top = ""] = pointer.split("/");
  if (top !== "hooks" && top !== "permissions") return [];
  const name = pointer.slice(pointer.lastIndexOf("/") + 1);
  const problem = `${nameOf(name)} stands twice in one object, and only the last counts`;
  return [{ line: lines(pointer), problem, remedy: "Put both into one." }];
}

/** Events beside `hooks`, or under a similar name: nothing would read their hooks. */
function outside(settings: Readonly<Record<string, unknown>>, lines: (pointer: string) => number): FilePart[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    const isNear = /^hooks?$/i.test(key) && isRecord(value) && Object.keys(value).some(isEvent);
    if (!isNear && !(isEvent(key) && Array.isArray(value))) return [];
    const problem = isNear
      ? `hooks are not read under "${key}"`
      : `${key} stands outside of "hooks", where none are read`;
    return [{ line: lines(`/${key}`), problem, remedy: `Write "hooks": {"${isNear ? "EVENT" : key}": […]}.` }];
  });
}

/** The content of a value of `hooks`. */
export type Groups = Pick<SettingsFile, "handlers" | "faults">;

const NO_HOOKS: Groups = { handlers: [], faults: [] };

/** Reads `{EVENT: [{"matcher", "hooks": [HANDLER…]}]}` at a pointer in its file. */
export function readGroups(hooks: unknown, lines: (pointer: string) => number, pointer: string): Groups {
  const handlers: RawHandler[] = [];
  const faults: FilePart[] = [];
  const wrong = (at: string, problem: string): void => {
    const remedy = 'Write "hooks": {"EVENT": [{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}]}.';
    faults.push({ line: lines(at), problem, remedy });
  };
  if (!isRecord(hooks)) wrong(pointer, '"hooks" must be an object');
  for (const [event, groups] of Object.entries(isRecord(hooks) ? hooks : {})) {
    const at = `${pointer}/${event.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Array.isArray(groups)) {
      wrong(at, `${nameOf(event)} must hold a list of groups`);
      continue;
    }
    for (const [i, group] of groups.entries()) {
      if (!isRecord(group) || !Array.isArray(group["hooks"])) {
        wrong(`${at}/${i}`, `a group of ${nameOf(event)} must be an object with a list "hooks"`);
        continue;
      }
      for (const [k, handler] of group["hooks"].entries())
        handlers.push({ event, matcher: group["matcher"], handler, line: lines(`${at}/${i}/hooks/${k}`) });
    }
  }
  return { handlers, faults };
}

function nameOf(name: string): string {
  return /^\w{1,60}$/.test(name) ? name : "a name";
}
