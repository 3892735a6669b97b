import { type GuardName, readSettings, type SettingsOf } from "./settings.ts";

/** The folders of a session's guards, and the settings from its files. Folders default to those of this process. */
export interface GuardSession {
  /** The folder in which calls run, an absolute path. */
  readonly cwd?: string;
  /** The top folder of the project, an absolute path; `cwd` by default. */
  readonly project?: string;
  /** The person's home folder. */
  readonly home?: string;
  /** hookline's home, where checkpoints are kept. */
  readonly hooklineHome?: string;
  /** The person's settings, by guard and key, such as `{ commands: { level: "refuse" } }`. */
  readonly settings?: GuardValues;
  /** The project's settings, which can only tighten: a value that would loosen a guard is ignored. */
  readonly projectSettings?: GuardValues;
}

/** Settings as written in files, by guard and key. Invalid values are ignored. */
export type GuardValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Returns the settings of a guard in a session: those given in code, then the person's, tightened by the project's.
 * Throws for a wrong value in code; the session's host reports wrong values in files.
 */
export function settingsIn<Name extends GuardName>(
  name: Name,
  given: Partial<SettingsOf<Name>>,
  { settings, projectSettings }: GuardSession,
): SettingsOf<Name> {
  const [problem] = readSettings(name, given).problems;
  if (problem !== undefined) throw new Error(problem.replace(" in your settings", ""));
  return readSettings(name, { ...settings?.[name], ...given }, projectSettings?.[name]).settings;
}
