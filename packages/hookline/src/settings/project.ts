import { join, relative, resolve } from "node:path";
import { type Diagnostic, diagnose } from "@hookline/runtime";
import { readSettingsFile } from "./file.ts";
import { SETTINGS, type Value } from "./rows.ts";

/**
 * All that a project may set (decision 56). The loader and the limits of a person's hooks take `UserSettings`, so that
 * no other value of a project can reach them. Paths are absolute and inside the project.
 */
export interface ProjectSettings {
  readonly failClosed?: readonly string[];
  readonly required?: readonly string[];
  readonly durability?: "entry";
  readonly "chibi.guardFailure"?: "closed";
  readonly "todo.remindersMax"?: number;
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
  const settings: { -readonly [K in keyof ProjectSettings]: Value } = {};
  for (const [key, value] of values) {
    const remedy = `Set it in ${join(hooklineHome, "settings.json")}.`;
    if (!isProjectKey(key)) {
      refuse(key, "cannot be set by a project", remedy);
      continue;
    }
    const taken = TAKES[key](value, cwd);
    if ("refused" in taken) refuse(key, taken.refused, remedy);
    if ("value" in taken && taken.value !== undefined) settings[key] = taken.value;
  }
  // Each value was read by the rule of its key.
  return { path, settings: settings as ProjectSettings, diagnostics };
}

function isProjectKey(key: string): key is keyof ProjectSettings {
  return SETTINGS[key]?.project !== undefined && Object.hasOwn(TAKES, key);
}

/** What is used of a value, and what is said about the rest. */
type Taken = { readonly value: Value } | { readonly refused: string; readonly value?: Value };

const TAKES: Readonly<Record<keyof ProjectSettings, (value: Value, cwd: string) => Taken>> = {
  failClosed: inside,
  required: inside,
  durability: only("entry"),
  "chibi.guardFailure": only("closed"),
  "todo.remindersMax": (value) => ({ value }),
};

function only(wanted: string): (value: Value) => Taken {
  return (value) =>
    value === wanted ? { value } : { refused: `can only be "${wanted}" in a project, and is not used` };
}

/** The names of files inside the project, made absolute; a project cannot name a person's files. */
function inside(value: Value, cwd: string): Taken {
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
