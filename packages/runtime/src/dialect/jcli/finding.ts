import type { Code } from "../../error/codes.ts";
import { type Diagnostic, diagnose, type Source } from "../../error/diagnostic.ts";

/** A finding in a configuration file, before the file's path is known. */
export interface Finding {
  readonly line: number;
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
  const { line, code, details } = finding;
  const place = { path: source.path, line, dialect: "j-cli" };
  const what = `${details["what"] ?? ""} of ${source.path}:${line}`;
  return diagnose(code, { ...details, ...place, what }, { source: { ...source, line } });
}

/** Whether a finding means that its entry does not run. */
export function isFatal({ code }: Finding): boolean {
  return code === "BAD_ENTRY" || code === "SYNTAX" || code === "UNKNOWN_HOOK_EVENT";
}
