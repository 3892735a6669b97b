import type { Code } from "@hookline/ground";
import { type Diagnostic, diagnose, place, type Source } from "@hookline/runtime/dialect";

/** A finding in a configuration file, before the file's path is known. */
export interface Finding {
  readonly line: number;
  /** JSON pointer of the entry that it is about, if others begin on its line. */
  readonly pointer?: string;
  readonly code: Extract<
    Code,
    "BAD_ENTRY" | "UNKNOWN_KEY" | "UNKNOWN_HOOK_EVENT" | "UNREACHABLE" | "LINT" | "LIMIT_CLAMPED" | "SYNTAX"
  >;
  readonly details: Readonly<Record<string, string | number>>;
}

/** A mistake that disables the entry that contains it. */
export function bad(line: number, problem: string, remedy: string): Finding {
  return { line, code: "BAD_ENTRY", details: { problem, remedy } };
}

/** Something that works, but probably not as intended. */
export function lint(line: number, problem: string, remedy: string): Finding {
  return { line, code: "LINT", details: { problem, remedy } };
}

/** A finding as a diagnostic, with its file and line. */
export function located(finding: Finding, source: Source): Diagnostic {
  const { line, pointer, code, details } = finding;
  const at: Source = { ...source, line, ...(pointer !== undefined && { pointer }) };
  const about = { path: source.path, line, dialect: "j-cli" };
  const what = `${details["what"] ?? ""} of ${place(at)}`;
  return diagnose(code, { ...details, ...about, what }, { source: at });
}

/** Whether a finding means that its entry does not run. */
export function isFatal({ code }: Finding): boolean {
  return code === "BAD_ENTRY" || code === "SYNTAX" || code === "UNKNOWN_HOOK_EVENT";
}
