/** A setting of a guard. */
export interface GuardSetting {
  /** A list of texts, a whole number over 0, or one of these words, the mildest first. */
  readonly type: "words" | "count" | readonly string[];
  readonly default: readonly string[] | number | string;
  readonly says: string;
  /** The largest value of a `count`; absent if there is no limit. */
  readonly max?: number;
  /** The project's permission: what it may add, and why that only tightens; absent if a project may change nothing. */
  readonly project?: { readonly adds: string; readonly because: string };
  /** An expression for each text of a list, and a description of what it must be. */
  readonly each?: { readonly form: RegExp; readonly must: string };
}

const MORE = { adds: "more of them", because: "the guard stops more" };

/** The settings of each guard, below `guards.NAME` in a settings file. */
export const GUARD_SETTINGS = {
  commands: {
    level: {
      type: ["note", "ask", "refuse"],
      default: "ask",
      says: "the verdict on a command that loses something which no checkpoint covers",
      project: { adds: "a stricter word", because: "the guard stops more" },
    },
    outside: { type: "words", default: [], says: "folders outside the project that are judged as if they were in it" },
    rebuildable: {
      type: "words",
      default: [],
      says: "patterns of files that a program makes again, so that deleting them loses nothing",
    },
    protectedBranches: {
      type: "words",
      default: ["main", "master", "release/*"],
      says: "branches of a remote that no push may rewrite, besides its default branch; `*` is any text",
      project: MORE,
    },
    allow: { type: "words", default: [], says: "commands that are not judged, as they are written; `*` is any text" },
    add: {
      type: "words",
      default: [],
      says: "commands that are asked about, and what they lose: `acme env delete: deletes an environment`",
      each: { form: /^\S.*?: \S/, must: "must be a command, a colon and a blank, and what it loses" },
    },
  },
  paths: {
    protect: {
      type: "words",
      default: [],
      says: "files that no tool and no command may change, written as in an ignore file",
      project: MORE,
    },
    allow: {
      type: "words",
      default: [],
      says: "protected files, and files outside the project, that may be changed, written as in an ignore file",
    },
    noRead: {
      type: "words",
      default: [],
      says: "files that no tool and no command may read, written as in an ignore file",
      project: MORE,
    },
  },
  secrets: {
    files: { type: "words", default: [], says: "patterns of more files whose content is secret", project: MORE },
    allowFiles: {
      type: "words",
      default: [],
      says: "patterns of files that may be read though their names look secret",
    },
    names: {
      type: "words",
      default: [],
      says: "more names of values that are secret, such as `ACME_PIN`",
      project: MORE,
      each: { form: /^[\w.-]{2,100}$/, must: "must have 2 to 100 letters, digits, `_`, `-` and `.`" },
    },
    patterns: {
      type: "words",
      default: [],
      says: "more forms of keys, such as `acme_live_*`",
      project: MORE,
      each: {
        form: /^[A-Za-z0-9_.:$/-]{3,40}\*$/,
        must: "must be a beginning of 3 to 40 characters and a final `*`, such as `acme_live_*`",
      },
    },
    show: { type: "words", default: [], says: "kinds of findings that are left as they are, such as `url password`" },
  },
  undo: {
    include: {
      type: "words",
      default: [],
      says: "patterns of files that checkpoints have although they are ignored and big, or made by a program",
      project: { adds: "more of them", because: "checkpoints hold more, within your limit" },
    },
    exclude: { type: "words", default: [], says: "patterns of files that no checkpoint has" },
    maxBytes: { type: "count", default: 1_000_000_000, says: "bytes that a project's checkpoints may take" },
    keepDays: { type: "count", default: 7, says: "days for which a checkpoint is kept" },
  },
  // A check is a program, and fewer checks would loosen the guard: only the person may set these.
  verify: {
    run: { type: "words", default: [], says: "commands of the checks, in their order; without any, nothing runs" },
    when: {
      type: "words",
      default: [],
      says: "patterns of files of which one must have changed; without any, each file counts",
    },
    rounds: { type: "count", default: 3, max: 20, says: "how often the model is sent back for one prompt, at most" },
    timeout: { type: "count", default: 300, max: 3_600, says: "seconds that a check may take" },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, GuardSetting>>>>;

/** The name of a guard that has settings. */
export type GuardName = keyof typeof GUARD_SETTINGS;

type ValueOf<Type> = Type extends "words"
  ? readonly string[]
  : Type extends "count"
    ? number
    : Type extends readonly (infer Word)[]
      ? Word
      : never;

/**
 * The settings of a guard, by key. Lists contain texts, `maxBytes` is in bytes, `keepDays` in days, `timeout` in
 * seconds. The reference of hookline's settings describes each key and its default below `guards`.
 */
export type SettingsOf<Name extends GuardName> = {
  readonly [Key in keyof (typeof GUARD_SETTINGS)[Name]]: (typeof GUARD_SETTINGS)[Name][Key] extends {
    readonly type: infer Type;
  }
    ? ValueOf<Type>
    : never;
};

/** The settings that were read, and a sentence for each ignored value. */
export interface ReadSettings<Name extends GuardName> {
  readonly settings: SettingsOf<Name>;
  readonly problems: readonly string[];
}

/**
 * Reads the settings of a guard: the person's replace the defaults, and the project's tighten them. A wrong value is
 * ignored, and the others apply.
 */
export function readSettings<Name extends GuardName>(
  name: Name,
  person?: unknown,
  project?: unknown,
): ReadSettings<Name> {
  const rows: Readonly<Record<string, GuardSetting>> = GUARD_SETTINGS[name];
  const problems: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [key, row] of Object.entries(rows)) settings[key] = row.default;
  const given = (values: unknown, whose: string): readonly (readonly [string, GuardSetting, unknown])[] => {
    if (values === undefined) return [];
    if (typeof values === "object" && values !== null && !Array.isArray(values))
      return Object.entries(values).flatMap(([key, value]) => {
        const row = Object.hasOwn(rows, key) ? rows[key] : undefined;
        const usable = row === undefined ? undefined : usableOf(row, value);
        const problem =
          usable === undefined ? `is not a setting; choose one of ${Object.keys(rows).join(", ")}` : usable.problem;
        if (problem !== undefined) problems.push(`guards.${name}.${key} in ${whose} settings ${problem}.`);
        return row === undefined || usable?.value === undefined ? [] : [[key, row, usable.value] as const];
      });
    problems.push(`guards.${name} in ${whose} settings must be an object; it is not used.`);
    return [];
  };
  for (const [key, , value] of given(person, "your")) settings[key] = value;
  for (const [key, row, value] of given(project, "the project's")) {
    const taken = row.project === undefined ? undefined : tightened(row, settings[key], value);
    if (taken === undefined)
      problems.push(
        `guards.${name}.${key} in the project's settings is not used, because a project cannot loosen a guard. Set it in your own settings.`,
      );
    else settings[key] = taken;
  }
  return { settings: settings as SettingsOf<Name>, problems };
}

/** Returns the usable part of a setting's value, and what is wrong with the rest. */
function usableOf(
  { type, each, max = Number.MAX_SAFE_INTEGER }: GuardSetting,
  value: unknown,
): { readonly value?: unknown; readonly problem?: string } {
  if (type === "count")
    return Number.isInteger(value) && Number(value) > 0 && Number(value) <= max
      ? { value }
      : {
          problem: `must be a whole number ${max < Number.MAX_SAFE_INTEGER ? `from 1 to ${max}` : "over 0"}; it is not used`,
        };
  if (type !== "words")
    return type.includes(value as string)
      ? { value }
      : { problem: `must be one of ${type.join(", ")}; it is not used` };
  if (!Array.isArray(value)) return { problem: "must be a list of texts; it is not used" };
  const must = each?.must ?? "must be a text that is not empty";
  const isFit = (one: unknown): boolean =>
    typeof one === "string" && one !== "" && (each === undefined || each.form.test(one));
  const wrong = value.filter((one) => !isFit(one)).length;
  const problem = `has ${wrong === 1 ? "an entry that is" : `${wrong} entries that are`} not used: each ${must}`;
  return { value: value.filter(isFit), ...(wrong > 0 && { problem }) };
}

/** Returns the person's value with the project's addition; `undefined` if that would loosen it. */
function tightened({ type }: GuardSetting, own: unknown, added: unknown): unknown {
  if (type === "words") return [...(own as readonly string[]), ...(added as readonly string[])];
  return Array.isArray(type) && type.indexOf(added) >= type.indexOf(own) ? added : undefined;
}
