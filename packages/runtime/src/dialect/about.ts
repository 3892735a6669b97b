import type { Tier } from "@hookline/ground";

/** The value of a setting. */
export type SettingValue = boolean | number | string | readonly string[];

/** A setting's type, and what a project may add to it. */
export interface SettingRow {
  readonly type: "boolean" | "integer" | "string" | "strings" | readonly string[];
  readonly says: string;
  /** Whether the setting is a time limit in milliseconds, which must fit a timer. */
  readonly isTime?: boolean;
  readonly default?: SettingValue;
  /** Whether an invalid value makes the settings file count as unreadable; ignoring it could weaken a guard. */
  readonly guards?: boolean;
  /** Whether lists in several files are combined instead of one replacing the other. */
  readonly adds?: boolean;
  /**
   * The change that a project may make, and why it cannot weaken a person's hooks (ruling 56); `only` is the one
   * value that it may set. Absent: a project may change nothing.
   */
  readonly project?: { readonly adds: string; readonly because: string; readonly only?: SettingValue };
}

/** Settings by their names. */
export type SettingRows = Readonly<Record<string, SettingRow>>;

/** Values of dialects' own settings, by the dialect's id and the setting's name. */
export type OwnSettings = Readonly<Record<string, Readonly<Record<string, SettingValue>>>>;

/** A working example hook: its files below the project's folder, and how to try it. */
export interface Starter {
  readonly files: readonly { readonly path: string; readonly text: string; readonly executable?: true }[];
  /** `event`: the event to try the example on. `refused`: its fields, which the example must refuse. */
  readonly event: string;
  readonly refused: Readonly<Record<string, unknown>>;
}

/**
 * A place where people put hooks by mistake, and the place that the program really reads; relative to the project, the
 * home, or hookline's home.
 */
export type MistakenPlace = readonly [base: "project" | "home" | "hookline", wrong: string, right: string];

/** A hook file that a test of hooks is to load. */
export interface HandedFile {
  /** The absolute path of the hook file. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Returns whether the file's folder has a file of this name. */
  has(name: string): boolean;
}

/** The place for a hook file in a home folder at which the dialect finds it. */
export interface HomePlace {
  /** The place of the hook file, relative to the home folder. */
  readonly path: string;
  /** Whether to write a module that re-exports the file instead of a link, because the dialect skips links. */
  readonly reexports?: boolean;
  /** Settings that make the dialect accept the hook file, such as chibi's `linkDirectories`. */
  readonly settings?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Describes a dialect's program, except its events: names, places, settings. It is data and runs nothing. Hosts iterate
 * over their dialects, so that no other list of dialects exists.
 */
export interface About {
  /** The program's name as people write it. */
  readonly label: string;
  /** The rank of each lane by id: lower ranks are asked first. */
  readonly ranks: Readonly<Record<string, number>>;
  /** The dialect's own settings; in `settings.json` they are under its id. */
  readonly settings: SettingRows;
  /**
   * The names of the folders in a home and in a project in which the program keeps its hooks; only a person may write
   * there.
   */
  readonly folders: { readonly home: string; readonly project: string };
  /**
   * Whether the program also keeps other things in its `folders`, which an agent may write. Then only `hookFolders` are
   * protected.
   */
  readonly hasMoreInFolders?: true;
  /** Further protected folders that otherwise belong to another program, such as `.claude/hooks`. */
  readonly hookFolders?: readonly string[];
  /** Names of files that define hooks, in any folder. */
  readonly hookFiles?: readonly string[];
  /** Environment variables that move a folder of the program elsewhere. */
  readonly movedBy: readonly string[];
  /** Environment variables that the program sets for hooks; inherited ones belong to another run and are removed. */
  readonly variables: readonly string[];
  readonly mistaken: readonly MistakenPlace[];
  /** Sentences that say what belongs in a folder of hooks, by the folder's name. Shown if something else is in it. */
  readonly holds?: Readonly<Record<string, string>>;
  /** Prefixes, without the colon, that select this dialect in front of a path on the command line. */
  readonly prefixes?: readonly string[];
  /** Returns an example to start from; read only on demand. */
  starter?(): Promise<Starter>;
  /** Returns where to put a test's hook file in a home folder; `undefined` if the file is not of this dialect. */
  homePlace?(file: HandedFile): HomePlace | undefined;
}

/** The longest time that a timer can wait, in milliseconds. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Returns whether a value has the type of the setting. */
export function fits({ type, isTime }: SettingRow, value: unknown): boolean {
  if (type === "boolean") return typeof value === "boolean";
  if (type === "integer") {
    const [least, most] = isTime ? [1, LONGEST_MS] : [0, Number.MAX_SAFE_INTEGER];
    return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  }
  if (type === "string") return typeof value === "string";
  if (type === "strings") return Array.isArray(value) && value.every((item) => typeof item === "string");
  return type.includes(value as string);
}

/** The TypeScript type of a setting, by its `type` in the row. */
type ValueOf<Type extends SettingRow["type"]> = Type extends "boolean"
  ? boolean
  : Type extends "integer"
    ? number
    : Type extends "string"
      ? string
      : Type extends "strings"
        ? readonly string[]
        : Type extends readonly (infer Choice)[]
          ? Choice
          : never;

/** The values of settings: what is set, or the row's default. */
export type ValuesOf<Rows extends SettingRows> = {
  readonly [Key in keyof Rows]: Rows[Key] extends { readonly default: SettingValue }
    ? ValueOf<Rows[Key]["type"]>
    : ValueOf<Rows[Key]["type"]> | undefined;
};

/** The values of dialects' own settings, as the host passes them. */
export interface GivenSettings {
  readonly own?: OwnSettings | undefined;
  readonly project?: { readonly own?: OwnSettings } | undefined;
}

/**
 * Returns a dialect's own settings for a hook of a tier. A project's additions count for its own hooks only (ruling
 * 56). A value that does not fit its row is ignored.
 */
export function ownSettings<const Rows extends SettingRows>(
  { own, project }: GivenSettings,
  { id, rows, tier = "user" }: { readonly id: string; readonly rows: Rows; readonly tier?: Tier },
): ValuesOf<Rows> {
  const values = Object.entries(rows).map(([name, row]) => {
    const added = tier === "project" && row.project !== undefined ? project?.own?.[id]?.[name] : undefined;
    const isAdded = added !== undefined && (row.project?.only === undefined || added === row.project.only);
    const given = isAdded ? added : own?.[id]?.[name];
    return [name, fits(row, given) ? given : row.default];
  });
  return Object.fromEntries(values) as ValuesOf<Rows>;
}
