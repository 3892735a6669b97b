import type { Tier } from "../error/diagnostic.ts";

/** What a setting can be. */
export type SettingValue = boolean | number | string | readonly string[];

/** What a setting may be, and what a project may add to it. */
export interface SettingRow {
  readonly type: "boolean" | "integer" | "string" | "strings" | readonly string[];
  readonly says: string;
  /** A time limit in ms, for which a timer must be able to hold it. */
  readonly isTime?: boolean;
  readonly default?: SettingValue;
  /** A value that cannot be used counts like a file that cannot be read: without it a guard might be open. */
  readonly guards?: boolean;
  /** Whether lists of several files stand beside each other instead of one replacing the other. */
  readonly adds?: boolean;
  /**
   * What a project may add, and why that cannot weaken a person's hooks (decision 56); `only` is the one value that it
   * may set. Absent: nothing.
   */
  readonly project?: { readonly adds: string; readonly because: string; readonly only?: SettingValue };
}

/** Settings by their names. */
export type SettingRows = Readonly<Record<string, SettingRow>>;

/** Values of dialects' own settings, by the dialect's id and the setting's name. */
export type OwnSettings = Readonly<Record<string, Readonly<Record<string, SettingValue>>>>;

/** A working example of a hook: its files below the project's folder, and how to try it. */
export interface Starter {
  readonly files: readonly { readonly path: string; readonly text: string; readonly executable?: true }[];
  /** The event to fire, and a call that the guard refuses, in the dialect's own words. */
  readonly event: string;
  readonly refused: Readonly<Record<string, unknown>>;
}

/** Where people put hooks by mistake, and where the program reads them; below the project, the home, or hookline's home. */
export type MistakenPlace = readonly [base: "project" | "home" | "hookline", wrong: string, right: string];

/** A hook file that a test hands over. */
export interface HandedFile {
  /** Absolute. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Whether a folder holds a file of this name. */
  has(name: string): boolean;
}

/** Where a file that is handed over lies in a home folder, so that the dialect finds it. */
export interface HomePlace {
  /** Below the home folder. */
  readonly path: string;
  /** For a dialect that skips links: a module that exports what the file exports. */
  readonly reexports?: boolean;
  /** Settings of the dialect without which it would not take the file. */
  readonly settings?: Readonly<Record<string, readonly string[]>>;
}

/**
 * What is known about a dialect's program beside its events: names, places, settings. It is data, and runs nothing; hosts
 * iterate over the dialects that they have, so that no list of dialects is kept anywhere else.
 */
export interface About {
  /** The program's name as people write it. */
  readonly label: string;
  /** Lanes by their ids, with their places in the order: the lower rank is asked first. */
  readonly ranks: Readonly<Record<string, number>>;
  /** The dialect's own settings; in `settings.json` they stand below its id. */
  readonly settings: SettingRows;
  /** Names of the folders in a home and in a project in which the program keeps its hooks; only a person may write there. */
  readonly folders: { readonly home: string; readonly project: string };
  /** Whether the program keeps other things in these folders too, which an agent may write: then only `hookFolders` are closed. */
  readonly hasMoreInFolders?: true;
  /** Further such folders, which belong to another program otherwise, such as `.claude/hooks`. */
  readonly hookFolders?: readonly string[];
  /** Names of files that define hooks, wherever they lie. */
  readonly hookFiles?: readonly string[];
  /** Variables that move a folder of the program elsewhere. */
  readonly movedBy: readonly string[];
  /** Variables through which hooks are spoken to; a value that the host inherited is another conversation's. */
  readonly variables: readonly string[];
  readonly mistaken: readonly MistakenPlace[];
  /** What a folder of hooks holds, in a sentence, by the folder's name: said where something else lies in it. */
  readonly holds?: Readonly<Record<string, string>>;
  /** What may stand before a path on the command line to say that this dialect runs it, without the colon. */
  readonly prefixes?: readonly string[];
  /** An example to start from; read only when somebody asks for it. */
  starter?(): Promise<Starter>;
  /** Where a handed file belongs; undefined for one that is not this dialect's. */
  homePlace?(file: HandedFile): HomePlace | undefined;
}

/** The longest time that a timer can hold, in ms. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Whether a value is what the row says. */
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

/** What a row's type stands for. */
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

/** The values of rows: what is set, or the row's default. */
export type ValuesOf<Rows extends SettingRows> = {
  readonly [Key in keyof Rows]: Rows[Key] extends { readonly default: SettingValue }
    ? ValueOf<Rows[Key]["type"]>
    : ValueOf<Rows[Key]["type"]> | undefined;
};

/** Values of dialects' own settings as a host hands them over. */
export interface GivenSettings {
  readonly own?: OwnSettings | undefined;
  readonly project?: { readonly own?: OwnSettings } | undefined;
}

/**
 * A dialect's own settings as they hold for a hook of a tier: what a project may add counts for its own hooks only
 * (decision 56). A value that does not fit its row is not used.
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
