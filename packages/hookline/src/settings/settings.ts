import { lstatSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { diagnose } from "@hookline/ground";
import type { ManagedPlace } from "@hookline/ground/system";
import { GUARD_SETTINGS, type GuardName, readSettings as readGuardSettings } from "@hookline/guards/settings";
import type { Diagnostic } from "@hookline/runtime";
import type { OwnSettings, SettingValue } from "@hookline/runtime/engine";
import { personHome } from "@hookline/runtime/session";
import { readSettingsFile, type SettingsFile } from "./file.ts";
import { type ProjectSettings, type ReadProject, readProjectSettings } from "./project.ts";
import { SETTINGS } from "./rows.ts";

declare const ofPerson: unique symbol;

/** Values that a person or an administrator has set, by path. The type brand keeps a project's values out. */
export type UserSettings = ReadonlyMap<string, SettingValue> & { readonly [ofPerson]: true };

/** The file that a value comes from, or `default`. */
export type SettingOrigin = "managed" | "user" | "project" | "default";

/** The effective settings, and the problems in their files. */
export interface Settings {
  readonly user: UserSettings;
  readonly project: ProjectSettings;
  /** The part of `user` that an administrator has set. No file or flag of a person can weaken it. */
  readonly managed: ReadonlyMap<string, SettingValue>;
  /** Whether an administrator has set anything, or the administrator's file cannot be read. */
  readonly isManaged: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** The paths of all settings files, whether or not they exist. */
  readonly files: readonly string[];
  /** The reasons why files of the person or administrator are unusable. A start must not ignore them (ruling 59). */
  readonly unreadable: readonly Diagnostic[];
}

/** Reads the files of the administrator, the person and the project. Invalid parts are left out and reported. */
export function readSettings(
  hooklineHome: string,
  cwd: string,
  place: ManagedPlace = MANAGED_SETTINGS,
  home: string = personHome(process.env),
): Settings {
  const managed = readManaged(place);
  const own = readSettingsFile(join(hooklineHome, "settings.json"));
  const project = readProjectSettings(cwd, hooklineHome, home);
  const user = new Map(own.values);
  for (const [key, value] of managed.values) {
    const mine = SETTINGS[key]?.adds === true ? (user.get(key) as readonly string[] | undefined) : undefined;
    user.set(key, mine === undefined ? value : [...(value as readonly string[]), ...mine]);
  }
  return {
    user: user as unknown as UserSettings,
    project: project.settings,
    managed: managed.values,
    isManaged: managed.values.size > 0 || managed.unreadable !== undefined,
    diagnostics: [
      ...[managed, own, project].flatMap(({ diagnostics }) => diagnostics),
      ...guardProblems(guardValues(user), project, own.path),
    ],
    files: [managed, own, project].map(({ path }) => path),
    unreadable: [managed, own].flatMap(({ unreadable }) => unreadable ?? []),
  };
}

/** Returns the person's settings of guards, by guard and key. */
export function guardValues(user: ReadonlyMap<string, SettingValue>): OwnSettings {
  const all: Record<string, Record<string, SettingValue>> = {};
  for (const [key, value] of user) {
    const [first, guard = "", name = ""] = key.split(".", 3);
    if (first === "guards") all[guard] = { ...all[guard], [name]: value };
  }
  return all;
}

/** Checks the guards' settings as a whole: invalid ones, and values of a project that would loosen a guard. */
function guardProblems(person: OwnSettings, project: ReadProject, ownPath: string): Diagnostic[] {
  return Object.keys(GUARD_SETTINGS).flatMap((guard) => {
    const read = (added?: object) => readGuardSettings(guard as GuardName, person[guard], added).problems;
    const own = read();
    return read(project.settings.guards?.[guard]).map((problem, at) => {
      const path = at < own.length ? ownPath : project.path;
      const remedy = "Correct or remove it; the rest of the file is used.";
      return diagnose("BAD_ENTRY", { path, line: 1, problem: problem.replace(/\.$/, ""), remedy });
    });
  });
}

/** Returns the project's value of a setting. Settings of dialects are under the dialect's id. */
function ofProject({ own, guards: _, ...rest }: ProjectSettings, key: string): SettingValue | undefined {
  const [id = "", name = ""] = key.split(".", 2);
  return (rest as Readonly<Record<string, SettingValue | undefined>>)[key] ?? own?.[id]?.[name];
}

/** Returns the effective value of a guard's setting and where it comes from. */
function guardSetting({ user, project, managed }: Settings, key: string): ReturnType<typeof settingOf> {
  const [, guard = "", name = ""] = key.split(".", 3);
  const [person, added] = [guardValues(user)[guard], project.guards?.[guard]];
  const readWith = (of?: object): SettingValue =>
    (readGuardSettings(guard as GuardName, person, of).settings as Record<string, SettingValue>)[name] as SettingValue;
  const value = readWith(added);
  if (String(value) !== String(readWith())) return { value, from: "project" };
  return { value, from: managed.has(key) ? "managed" : user.has(key) ? "user" : "default" };
}

/** Returns the effective value of a setting and where it comes from. */
export function settingOf(
  settings: Settings,
  key: string,
): { readonly value?: SettingValue; readonly from: SettingOrigin } {
  if (key.startsWith("guards.")) return guardSetting(settings, key);
  const { user, project, managed } = settings;
  const added = ofProject(project, key);
  const own = user.get(key);
  if (added !== undefined && own !== undefined && SETTINGS[key]?.adds === true)
    return { value: [...(own as readonly string[]), ...(added as readonly string[])], from: "project" };
  const usual = SETTINGS[key]?.default;
  // A project may only lower a number.
  const isLarger = typeof added === "number" && added > Number(own ?? usual);
  if (added !== undefined && !isLarger) return { value: added, from: "project" };
  if (own !== undefined) return { value: own, from: managed.has(key) ? "managed" : "user" };
  return usual === undefined ? { from: "default" } : { value: usual, from: "default" };
}

function readManaged(place: ManagedPlace): SettingsFile {
  const file = readSettingsFile(place.path);
  if (file.values.size === 0 && file.diagnostics.length === 0) return file;
  const problem = managedFault(place);
  if (problem === undefined) return file;
  const ignored = diagnose("SETTINGS_IGNORED", { path: place.path, problem });
  return { path: place.path, values: new Map(), diagnostics: [ignored] };
}

/** The file with an administrator's settings for all users of a machine. No variable can move it (ruling 54). */
export const MANAGED_SETTINGS: ManagedPlace = { path: "/etc/hookline/settings.json", uid: 0 };

/** Returns why a file cannot be trusted as the administrator's; undefined if only its owner can have written it. */
function managedFault({ path, uid }: ManagedPlace): string | undefined {
  for (const one of [path, dirname(path)]) {
    const stat = lstatSync(one, { throwIfNoEntry: false });
    const problem = stat === undefined ? "it does not exist" : faultOf(stat, uid);
    if (problem !== undefined) return one === path ? problem : `its folder ${one}: ${problem}`;
  }
  return undefined;
}

function faultOf(stat: Stats, uid: number): string | undefined {
  if (stat.isSymbolicLink()) return "it is a link";
  if (stat.uid !== uid) return `user ${stat.uid} owns it, not user ${uid}`;
  if ((stat.mode & 0o022) !== 0) return "other users can write to it";
  return undefined;
}
