import { CODES, type Code, type Severity } from "./codes.ts";
import { brief } from "./size-limits.ts";

/**
 * Where a definition came from. `managed` belongs to the machine's administrator; `session` was registered by the model
 * with a person's consent.
 */
export type Tier = "builtin" | "managed" | "user" | "project" | "session";

/** How far down each tier is: a definition never takes a name from one of a higher tier (decisions 56 and 84). */
export const TIER_RANK: Readonly<Record<Tier, number>> = { managed: 0, builtin: 0, user: 1, project: 2, session: 2 };

/** The place of a definition. */
export interface Position {
  readonly path: string;
  /** 1-based. */
  readonly line?: number | undefined;
  /** The definition's JSON pointer, if others begin on its line: the line would not tell them apart. */
  readonly pointer?: string | undefined;
}

/** File, line and tier of a definition. */
export interface Source extends Position {
  readonly line?: number;
  readonly pointer?: string;
  readonly tier: Tier;
  /** The dialect that the definition is written in; absent for library handlers. */
  readonly dialect?: string;
  /** Which of a dialect's interfaces applies, if it has several (`hook`, `extension`). */
  readonly api?: string;
}

/** A problem reported as a value; never thrown. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** Says what happened, to which hook, from where. Never holds payload text. */
  readonly message: string;
  /** Says what to do next. */
  readonly hint: string;
  readonly source?: Source;
  readonly hook?: string;
  readonly event?: string;
  /** The imported names that it is about, if any. */
  readonly names?: readonly string[];
  /** Set for a hook's failure: what a host needs to report it in one line. Not enumerable. */
  readonly failure?: FailureTold;
}

/** A hook's failure, and what happened to the thing that it was asked about. */
export interface FailureTold {
  /** `exit code 3`, `no answer within 1000 ms`, an error's message. */
  readonly what: string;
  /** The hook's last lines on stderr. For people only: it is not enumerable, so that no record includes it. */
  readonly said?: string;
  /** hookline's name of the event. */
  readonly moment: string;
  /** Absent if the hook could not have stopped or changed anything. */
  readonly effect?: "went on" | "was refused" | "was withheld";
}

/** Fills a code's message; unknown placeholders stay visible so that reviewers notice them. */
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

/** `path:line`, or the path alone; `path#pointer` where others begin on that line. */
export function place({ path, line, pointer }: Position): string {
  if (pointer !== undefined) return `${path}#${pointer}`;
  return line === undefined ? path : `${path}:${line}`;
}

/** Whether two positions are the same. */
export function isSamePlace(a: Position, b: Position): boolean {
  return a.path === b.path && a.line === b.line && a.pointer === b.pointer;
}

/**
 * A text with its `{names}` replaced; names without a detail stay as they are. A detail that is a sentence loses its
 * stop where the text has one.
 */
export function fill(template: string, details: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}(\.?)/g, (whole, name: string, stop: string) => {
    if (!Object.hasOwn(details, name)) return whole;
    const text = brief(String(details[name]));
    return text.endsWith(".") ? text : text + stop;
  });
}

/** The same as the first of two sentences: without a stop, which whoever shows both puts between them. */
export function fillMessage(template: string, details: Readonly<Record<string, string | number>>): string {
  return fill(template, details).replace(/\.$/, "");
}
