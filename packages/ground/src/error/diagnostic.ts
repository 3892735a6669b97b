import { CODES, type Code, type Severity } from "./codes.ts";
import { brief } from "./size-limits.ts";

/**
 * The origin of a definition, such as a hook. A `managed` one belongs to the machine's administrator. A `session` one
 * was registered by the model with the user's consent.
 */
export type Tier = "builtin" | "managed" | "user" | "project" | "session";

/**
 * The rank of each tier; 0 is the highest. A definition never replaces one of the same name in a higher tier (decisions
 * 56 and 84).
 */
export const TIER_RANK: Readonly<Record<Tier, number>> = { managed: 0, builtin: 0, user: 1, project: 2, session: 2 };

/** The position of a definition, such as a hook, in a file. */
export interface Position {
  readonly path: string;
  /** The line, counted from 1. */
  readonly line?: number | undefined;
  /** The definition's JSON pointer, if other definitions begin on the same line. */
  readonly pointer?: string | undefined;
}

/** The file, line and tier of a definition, such as a hook. */
export interface Source extends Position {
  readonly line?: number;
  readonly pointer?: string;
  readonly tier: Tier;
  /** The dialect that the definition is written in; absent for library handlers. */
  readonly dialect?: string;
  /** The interface of the dialect, if it has several (`hook`, `extension`). */
  readonly api?: string;
}

/** A problem reported as a value; never thrown. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** Says what happened, to which hook, and where. Never contains payload text. */
  readonly message: string;
  /** Says what the user can do. */
  readonly hint: string;
  readonly source?: Source;
  readonly hook?: string;
  readonly event?: string;
  /** The names that a module imports but no package provides, if the problem is about such names. */
  readonly names?: readonly string[];
  /** A hook's failure, for a one-line report; absent for other problems. Not enumerable, so no JSON contains it. */
  readonly failure?: FailureTold;
}

/** A hook's failure, and its effect on what the hook was asked about. */
export interface FailureTold {
  /** The failure in a few words, such as `exit code 3`, `no answer within 1000 ms` or an error's message. */
  readonly what: string;
  /** A telling line that the hook wrote to stderr, for people only. Not enumerable, so no JSON contains it. */
  readonly said?: string;
  /** hookline's own name of the event. */
  readonly moment: string;
  /** The effect on the call or text. Absent if the hook could not have stopped or changed anything. */
  readonly effect?: "went on" | "was refused" | "was withheld";
}

/** Makes a diagnostic and fills in its code's message. Unknown placeholders stay, so that reviewers notice them. */
export function diagnose(
  code: Code,
  details: Readonly<Record<string, string | number>> = {},
  about: { source?: Source; hook?: string; event?: string; severity?: Severity } = {},
): Diagnostic {
  const row = CODES[code];
  const { severity, ...rest } = about;
  const { line, pointer } = about.source ?? {};
  const isEntry = pointer !== undefined && details["line"] === line;
  const message = isEntry ? row.message.replace("{path}:{line}", `{path}#${pointer}`) : row.message;
  return {
    code,
    severity: severity ?? row.severity,
    message: fillMessage(message, details),
    hint: fill(row.hint, details),
    ...rest,
  };
}

/** Formats a position as `path:line` or `path`, or as `path#pointer` if other definitions begin on the same line. */
export function place({ path, line, pointer }: Position): string {
  if (pointer !== undefined) return `${path}#${pointer}`;
  return line === undefined ? path : `${path}:${line}`;
}

/** Whether two positions are the same. */
export function isSamePlace(a: Position, b: Position): boolean {
  return a.path === b.path && a.line === b.line && a.pointer === b.pointer;
}

/** Replaces each `{name}` in a text by its detail, if it has one. A full stop after a detail is not doubled. */
export function fill(template: string, details: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}(\.?)/g, (whole, name: string, stop: string) => {
    if (!Object.hasOwn(details, name)) return whole;
    const text = brief(String(details[name]));
    return text.endsWith(".") ? text : text + stop;
  });
}

/** Fills in a message and drops its final full stop. Whoever shows message and hint adds a full stop between them. */
export function fillMessage(template: string, details: Readonly<Record<string, string | number>>): string {
  return fill(template, details).replace(/\.$/, "");
}
