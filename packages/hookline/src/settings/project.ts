import { join, relative, resolve } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import { abouts, diagnose, type OwnSettings, type SettingRow, type SettingValue } from "@hookline/runtime/internal";
import { readSettingsFile } from "./file.ts";
import { SETTINGS } from "./rows.ts";

/**
 * All that a project may set (decision 56). The loader and the limits of a person's hooks take `UserSettings`, so that
 * no other value of a project can reach them. Paths are absolute and inside the project.
 */
export interface ProjectSettings {
  readonly failClosed?: readonly string[];
  readonly required?: readonly string[];
  readonly durability?: "entry";
  readonly "todo.remindersMax"?: number;
  /** Of dialects, each for the project's own hooks. */
  readonly own?: OwnSettings;
}

/** A project's file, read. It never ends a start. */
export interface ReadProject {
  readonly path: string;
  readonly settings: ProjectSettings;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a project's `.hookline/settings.json`; what a project may not set is reported and not used. */
export function readProjectSettings(cwd: string, hooklineHome: string): ReadProject {
  const path = join(cwd, ".hookline", "settings.json");
  const { values, diagnostics: found } = readSettingsFile(path);
  const diagnostics = [...found];
  const refuse = (key: string, problem: string, remedy: string): void =>
    void diagnostics.push(diagnose("BAD_ENTRY", { path, line: 1, problem: `"${key}" ${problem}`, remedy }));
  const settings: Record<string, SettingValue> = {};
  const own: Record<string, Record<string, SettingValue>> = {};
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
    const [id = "", name = ""] = key.split(".", 2);
    if (Object.hasOwn(abouts, id)) own[id] = { ...own[id], [name]: taken.value };
    else settings[key] = taken.value;
  }
  const all = Object.keys(own).length === 0 ? settings : { ...settings, own };
  // Each value was read by the rule of its key.
  return { path, settings: all as ProjectSettings, diagnostics };
}

/** Settings that name files. */
const FILES: ReadonlySet<string> = new Set(["failClosed", "required"]);

/** What is used of a value, and what is said about the rest. */
interface Taken {
  readonly value?: SettingValue;
  readonly refused?: string;
}

/** A value that a project may set, or the one value that it may. */
function allowed({ only }: NonNullable<SettingRow["project"]>, value: SettingValue): Taken {
  if (only === undefined || value === only) return { value };
  return { refused: `can only be "${String(only)}" in a project, and is not used` };
}

/** The names of files inside the project, made absolute; a project cannot name a person's files. */
function inside(value: SettingValue, cwd: string): Taken {
  const names = value as readonly string[];
  const isOutside = (name: string): boolean => {
    const from = relative(cwd, resolve(cwd, name));
    return name.startsWith("~") || from === "" || from.startsWith("..");
  };
  const outside = names.filter(isOutside);
  const taken = names.filter((name) => !isOutside(name)).map((name) => resolve(cwd, name));
  if (outside.length === 0) return { value: taken };
  return { value: taken, refused: `names what is not a file inside the project: ${outside.join(", ")}` };
}
