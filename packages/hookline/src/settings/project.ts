import { isAbsolute, join, relative, resolve } from "node:path";
import { diagnose } from "@hookline/ground";
import { systemFiles } from "@hookline/ground/system";
import { abouts } from "@hookline/integrations/abouts";
import type { Diagnostic } from "@hookline/runtime";
import {
  type OwnSettings,
  projectAbove,
  type SettingRow,
  type SettingValue,
  unusedMarkers,
} from "@hookline/runtime/engine";
import { meantBy, pathIn } from "@hookline/runtime/session";
import { readSettingsFile } from "./file.ts";
import { SETTINGS } from "./rows.ts";

/**
 * All settings that a project may set (ruling 56). Paths are absolute and inside the project. Code that reads a
 * person's settings accepts only `UserSettings`, so a project cannot change any others.
 */
export interface ProjectSettings {
  readonly failClosed?: readonly string[];
  readonly required?: readonly string[];
  readonly shadow?: readonly string[];
  readonly durability?: "entry";
  readonly "todo.remindersMax"?: number;
  /** Settings of dialects, by dialect id. They apply to the project's own hooks. */
  readonly own?: OwnSettings;
  /** Settings that tighten guards, by guard and key. */
  readonly guards?: OwnSettings;
}

/** The result of reading a project's file. Problems with the file never prevent a start. */
export interface ReadProject {
  readonly path: string;
  readonly settings: ProjectSettings;
  readonly diagnostics: readonly Diagnostic[];
}

/** Settings that can only add protection, so those of all folders of a project are combined. */
const TIGHTENING = ["failClosed", "required"] as const;

const COUNTING: ReadonlySet<string> = new Set([...TIGHTENING, "guards"]);

/** Joins guards' settings of two folders of a project: lists are combined, of other values the stricter one counts. */
function joined(nearer: OwnSettings = {}, above: OwnSettings): OwnSettings {
  const all: Record<string, Readonly<Record<string, SettingValue>>> = { ...nearer };
  for (const [guard, values] of Object.entries(above)) {
    const taken: Record<string, SettingValue> = { ...all[guard] };
    for (const [key, value] of Object.entries(values)) {
      const own = taken[key];
      const { type } = SETTINGS[`guards.${guard}.${key}`] ?? {};
      if (Array.isArray(value) && Array.isArray(own)) taken[key] = [...new Set([...own, ...value])];
      else if (own === undefined || (Array.isArray(type) && type.indexOf(value) > type.indexOf(own)))
        taken[key] = value;
    }
    all[guard] = taken;
  }
  return all;
}

/**
 * Reads a project's `.hookline/settings.json`, and the tightening settings in the folders above, up to the root.
 * Reports settings that a project may not change, and files that are ignored.
 */
export function readProjectSettings(cwd: string, hooklineHome: string, home: string): ReadProject {
  const place = { cwd, home, files: systemFiles };
  const read = readFolder(cwd, hooklineHome);
  const settings: { -readonly [Key in keyof ProjectSettings]: ProjectSettings[Key] } = { ...read.settings };
  const diagnostics = [...read.diagnostics];
  for (const folder of projectAbove(place)) {
    const above = readFolder(folder, hooklineHome);
    diagnostics.push(...above.diagnostics);
    for (const key of TIGHTENING) {
      const names = [...(settings[key] ?? []), ...(above.settings[key] ?? [])];
      if (names.length > 0) settings[key] = [...new Set(names)];
    }
    if (above.settings.guards !== undefined) settings.guards = joined(settings.guards, above.settings.guards);
    const others = Object.keys(above.settings).filter((key) => !COUNTING.has(key));
    if (others.length > 0) diagnostics.push(unused(above.path, `not used in a subfolder: ${others.join(", ")}`, cwd));
  }
  for (const path of unusedMarkers(place))
    diagnostics.push(unused(path, "other users can change its folder, so it does not mark this project", cwd));
  return { path: read.path, settings, diagnostics };
}

function unused(path: string, problem: string, cwd: string): Diagnostic {
  const remedy = `The session's folder is ${cwd}. Start hookline in the folder of this file to use it.`;
  return diagnose("BAD_ENTRY", { path, line: 1, problem, remedy });
}

/** Reads the settings file of one folder. */
function readFolder(cwd: string, hooklineHome: string): ReadProject {
  const path = join(cwd, ".hookline", "settings.json");
  const { values, diagnostics: found } = readSettingsFile(path);
  const diagnostics = [...found];
  const refuse = (key: string, problem: string, remedy: string): void =>
    void diagnostics.push(diagnose("BAD_ENTRY", { path, line: 1, problem: `"${key}" ${problem}`, remedy }));
  const settings: Record<string, SettingValue> = {};
  const own: Record<string, Record<string, SettingValue>> = {};
  const guards: Record<string, Record<string, SettingValue>> = {};
  for (const [key, value] of values) {
    const remedy = `Set it in ${join(hooklineHome, "settings.json")}.`;
    const rule = SETTINGS[key]?.project;
    if (rule === undefined) {
      refuse(key, "cannot be set by a project", remedy);
      continue;
    }
    const taken = FILES.has(key) ? inside(value, cwd) : allowed(rule, value);
    if (taken.refused !== undefined) refuse(key, taken.refused, remedy);
    if (taken.value === undefined) continue;
    const [id = "", name = "", inner = ""] = key.split(".", 3);
    if (id === "guards") guards[name] = { ...guards[name], [inner]: taken.value };
    else if (Object.hasOwn(abouts, id)) own[id] = { ...own[id], [name]: taken.value };
    else settings[key] = taken.value;
  }
  const isSet = (values: object): boolean => Object.keys(values).length > 0;
  const all = { ...settings, ...(isSet(own) && { own }), ...(isSet(guards) && { guards }) };
  // The type of each value was checked above.
  return { path, settings: all as ProjectSettings, diagnostics };
}

/** Settings whose values are names of files. */
const FILES: ReadonlySet<string> = new Set(["failClosed", "required", "shadow"]);

/** The part of a value that a project may set, and a message about the part that is refused. */
interface Taken {
  readonly value?: SettingValue;
  readonly refused?: string;
}

/** Accepts a value if a project may set it. `only` is the single value that a project may choose. */
function allowed({ only }: NonNullable<SettingRow["project"]>, value: SettingValue): Taken {
  if (only === undefined || value === only) return { value };
  return { refused: `can only be "${String(only)}" in a project, and is not used` };
}

/** Makes names of files absolute. Refuses files outside of the project. */
function inside(value: SettingValue, cwd: string): Taken {
  const names = value as readonly string[];
  const isOutside = (name: string): boolean => {
    const path = pathIn(name);
    const from = relative(cwd, resolve(cwd, path));
    return path.startsWith("~") || from === "" || from.startsWith("..") || isAbsolute(from);
  };
  const outside = names.filter(isOutside);
  const taken = names.filter((name) => !isOutside(name)).map((name) => meantBy(name, { cwd, home: cwd }));
  if (outside.length === 0) return { value: taken };
  return { value: taken, refused: `names files that are not inside the project: ${outside.join(", ")}` };
}
