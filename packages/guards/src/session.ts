import { type GuardName, readSettings, type SettingsOf } from "./settings.ts";

/**
 * The place of the session in which guards work, and the settings from its files. A value that is absent is that of this
 * process.
 */
export interface GuardSession {
  /** The folder in which calls run, an absolute path. */
  readonly cwd?: string;
  /** The top folder of the project, an absolute path; `cwd` by default. */
  readonly project?: string;
  /** The person's home folder. */
  readonly home?: string;
  /** hookline's home, in which checkpoints are kept. */
  readonly hooklineHome?: string;
  /** A person's settings, by guard and key, such as `{ commands: { level: "refuse" } }`. */
  readonly settings?: GuardValues;
  /** Settings of the project, which only tighten: a value that would loosen a guard is left out. */
  readonly projectSettings?: GuardValues;
}

/** Settings as they are written in files, by guard and key. Values that cannot be used are left out. */
export type GuardValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Returns the settings of a guard in a session: those that are given in code, then the person's, then what the project
 * tightens. Throws for a wrong value in code; the host of the session reports those in files.
 */
export function settingsIn<Name extends GuardName>(
  name: Name,
  given: Partial<SettingsOf<Name>>,
  { settings, projectSettings }: GuardSession,
): SettingsOf<Name> {
  const [problem] = readSettings(name, given).problems;
  if (problem !== undefined) throw new Error(problem.replace(" in the person's settings", ""));
  return readSettings(name, { ...settings?.[name], ...given }, projectSettings?.[name]).settings;
}
