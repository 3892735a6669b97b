import { type EntryPlace, entryPlaces, isFields, jsonLines, pointerPart, readJson } from "@hookline/ground";
import { isEvent } from "./fields.ts";

/** One handler of a settings file, not yet checked. */
export interface RawHandler extends EntryPlace {
  readonly event: string;
  /** The matcher of the handler's group, of any type. */
  readonly matcher: unknown;
  readonly handler: unknown;
}

/** A problem in a settings file, with its place. */
export interface FilePart extends EntryPlace {
  readonly problem: string;
  readonly remedy: string;
}

/** A parsed settings file. */
export interface SettingsFile {
  readonly handlers: readonly RawHandler[];
  /** The parts of `hooks` with the wrong shape. */
  readonly faults: readonly FilePart[];
  /** Whether the file has the key `hooks`. */
  readonly hasHooks: boolean;
  /** All keys except `hooks`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Returns the place of a key's value. `a/b` is the key `b` in the value of `a`. */
  at(key: string): EntryPlace;
}

/** A file that cannot be parsed. */
export interface Unreadable {
  readonly problem: string;
}

/**
 * Parses a settings file or a plugin's `hooks.json`: `{"hooks": {EVENT: [{"matcher", "hooks": [HANDLER…]}]}}`. A group
 * of the wrong shape disables only itself. Source: spec/claude.md 1.
 */
export function readSettings(bytes: Uint8Array): SettingsFile | Unreadable {
  const read = readJson(bytes);
  if (!read.ok) return { problem: read.message };
  const { value } = read;
  if (!isFields(value)) return { problem: "it is not a JSON object" };
  const lines = jsonLines(bytes);
  const { hooks, ...settings } = value;
  const more = [...read.duplicates.flatMap(repeated), ...outside(settings)];
  const others = Object.keys(settings).map((key) => `/${pointerPart(key)}`);
  return {
    ...placed(hooks === undefined ? NO_GROUPS : groupsOf(hooks, "/hooks"), { lines, more, others }),
    hasHooks: hooks !== undefined,
    settings,
  };
}

/** Reports a key that occurs twice in one object of hooks or permissions: its first value is silently lost. */
function repeated(pointer: string): Fault[] {
  const [, top = ""] = pointer.split("/");
  if (top !== "hooks" && top !== "permissions") return [];
  const name = pointer.slice(pointer.lastIndexOf("/") + 1);
  const problem = `${nameOf(name)} appears twice in one object, and only the last counts`;
  return [{ at: pointer, problem, remedy: "Put both into one." }];
}

/** Reports events that are beside `hooks` or under a misspelled `hooks`, where nothing reads them. */
function outside(settings: Readonly<Record<string, unknown>>): Fault[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    const isNear = /^hooks?$/i.test(key) && isFields(value) && Object.keys(value).some(isEvent);
    if (!isNear && !(isEvent(key) && Array.isArray(value))) return [];
    const problem = isNear
      ? `hooks are not read under "${key}"`
      : `${key} is outside of "hooks", where no hooks are read`;
    return [{ at: `/${pointerPart(key)}`, problem, remedy: `Write "hooks": {"${isNear ? "EVENT" : key}": […]}.` }];
  });
}

/** The parsed value of the key `hooks` in a settings file. */
export type Groups = Pick<SettingsFile, "handlers" | "faults" | "at">;

/** Parses `{EVENT: [{"matcher", "hooks": [HANDLER…]}]}`, which is at `pointer` in its file. */
export function readGroups(hooks: unknown, lines: (pointer: string) => number, pointer: string): Groups {
  return placed(groupsOf(hooks, pointer), { lines });
}

/** A problem in a settings file, and the JSON pointer of the problem's place. */
interface Fault extends Pick<FilePart, "problem" | "remedy"> {
  readonly at: string;
}

/** Handlers and problems with the JSON pointers of their places. */
interface Pointed {
  readonly handlers: readonly (Pick<RawHandler, "event" | "matcher" | "handler"> & { readonly at: string })[];
  readonly faults: readonly Fault[];
}

interface Around {
  readonly lines: (pointer: string) => number;
  readonly more?: readonly Fault[];
  /** The JSON pointers of the file's top-level keys, such as `/permissions`. */
  readonly others?: readonly string[];
}

function placed({ handlers, faults }: Pointed, { lines, more = [], others = [] }: Around): Groups {
  const all = [...more, ...faults];
  const at = entryPlaces([...handlers.map((one) => one.at), ...all.map((one) => one.at), ...others], lines);
  return {
    handlers: handlers.map(({ at: pointer, ...one }) => ({ ...one, ...at(pointer) })),
    faults: all.map(({ at: pointer, ...one }) => ({ ...one, ...at(pointer) })),
    at: (key) => at(`/${key}`),
  };
}

const NO_GROUPS: Pointed = { handlers: [], faults: [] };

function groupsOf(hooks: unknown, pointer: string): Pointed {
  const handlers: Pointed["handlers"][number][] = [];
  const faults: Fault[] = [];
  const wrong = (at: string, problem: string): void => {
    const remedy = 'Write "hooks": {"EVENT": [{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}]}.';
    faults.push({ at, problem, remedy });
  };
  if (!isFields(hooks)) wrong(pointer, '"hooks" must be an object');
  for (const [event, groups] of Object.entries(isFields(hooks) ? hooks : {})) {
    const at = `${pointer}/${pointerPart(event)}`;
    if (!Array.isArray(groups)) {
      wrong(at, `${nameOf(event)} must hold a list of groups`);
      continue;
    }
    for (const [i, group] of groups.entries()) {
      if (!isFields(group) || !Array.isArray(group["hooks"])) {
        wrong(`${at}/${i}`, `a group of ${nameOf(event)} must be an object with a list "hooks"`);
        continue;
      }
      for (const [k, handler] of group["hooks"].entries())
        handlers.push({ event, matcher: group["matcher"], handler, at: `${at}/${i}/hooks/${k}` });
    }
  }
  return { handlers, faults };
}

function nameOf(name: string): string {
  return /^\w{1,60}$/.test(name) ? name : "a name";
}
