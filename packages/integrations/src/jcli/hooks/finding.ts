import type { Code } from "@hookline/ground";
import { type Diagnostic, diagnose, place, type Source } from "@hookline/runtime/dialect";

/** A finding in a configuration file, before the file's path is known. */
export interface Finding {
  readonly line: number;
  /** The entry's JSON pointer, if other entries begin on the same line. */
  readonly pointer?: string;
  readonly code: Extract<
    Code,
    "BAD_ENTRY" | "UNKNOWN_KEY" | "UNKNOWN_HOOK_EVENT" | "UNREACHABLE" | "LINT" | "LIMIT_CLAMPED" | "SYNTAX"
  >;
  readonly details: Readonly<Record<string, string | number>>;
}

/** Reports a mistake that disables the entry that contains it. */
export function bad(line: number, problem: string, remedy: string): Finding {
  return { line, code: "BAD_ENTRY", details: { problem, remedy } };
}

/** Reports something that works, but probably not as intended. */
export function lint(line: number, problem: string, remedy: string): Finding {
  return { line, code: "LINT", details: { problem, remedy } };
}

/** Converts a finding to a diagnostic with its file and line. */
export function located(finding: Finding, source: Source): Diagnostic {
  const { line, pointer, code, details } = finding;
  const at: Source = { ...source, line, ...(pointer !== undefined && { pointer }) };
  const about = { path: source.path, line, dialect: "j-cli" };
  const what = `${details["what"] ?? ""} of ${place(at)}`;
  return diagnose(code, { ...details, ...about, what }, { source: at });
}

/** Whether a finding disables its entry. */
export function isFatal({ code }: Finding): boolean {
  return code === "BAD_ENTRY" || code === "SYNTAX" || code === "UNKNOWN_HOOK_EVENT";
}
