import { type Code, place } from "@hookline/ground";
import { type Standpoint, shortPath, shortPaths } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import type { LoadReport, Proof } from "@hookline/runtime/session";
import { hookCounts, waitingItems } from "../item/summary.ts";

/** Formats a diagnostic: what happened, then what to do. */
export function diagnosticLine(diagnostic: Diagnostic): string {
  return `${diagnostic.severity}: ${diagnostic.message}. ${diagnostic.hint}`;
}

/** Codes without a line of their own, because the line about a hook's failure says what the failure has led to. */
const SAID_WITH_FAILURE: readonly Code[] = ["FAILED_OPEN", "FAILED_CLOSED", "WITHHELD"];

/** Codes of hooks that wait for approval. Their messages are about the whole file, so each file is reported once. */
export const NOT_APPROVED: readonly Code[] = ["UNTRUSTED", "TRUST_CHANGED"];

/** The noun before a failure's effect, as in "the call was refused", by the event's name or its first word. */
const SUBJECTS: Readonly<Record<string, string>> = {
  "tool.after": "the result",
  tool: "the call",
  prompt: "the prompt",
  model: "the request",
  message: "the message",
  compact: "the compaction",
  session: "the session",
  agent: "the turn",
};

/** The folders that displayed paths are relative to, and the panel or command that shows more. */
export interface Reader extends Standpoint {
  /** The place in which the reader sees more: the name of a panel on a screen, otherwise a command. */
  readonly more: string;
}

/** Formats a diagnostic during a run; the failure of a hook becomes one line. Undefined if another line covers it. */
export function runningLine(diagnostic: Diagnostic, reader: Reader): string | undefined {
  if (SAID_WITH_FAILURE.includes(diagnostic.code)) return undefined;
  const { failure, source } = diagnostic;
  const line = shortPaths(diagnosticLine(diagnostic), reader);
  if (source !== undefined && NOT_APPROVED.includes(diagnostic.code))
    return line.replaceAll(shortPath(place(source), reader), shortPath(source.path, reader));
  if (failure === undefined || source === undefined) return line;
  const { what, said, moment, effect } = failure;
  const why = `${what.replace(/^exit code /, "exit ")}${said === undefined ? "" : `: ${said}`}`;
  const subject = SUBJECTS[moment] ?? SUBJECTS[moment.split(".", 1)[0] as string] ?? moment;
  const became = effect === undefined ? "" : `; ${subject} ${effect}`;
  return `⚠ ${shortPath(place(source), reader)} failed (${why})${became} · ${reader.more}`;
}

/** The remedy for guards that do not work. */
export const PROOF_REMEDY = "Correct the guard or its case; `hookline hooks test` runs its cases.";

/** Formats one line about whether the guards work; undefined if there are no guards. */
export function proofLine({ asked, alive, dead, untested }: Proof): string | undefined {
  const parts = [
    ...(asked === 0 ? [] : [`guards ${alive}/${asked} alive`]),
    ...(untested.length === 0 ? [] : [`${untested.length} untested (${untested.join(", ")})`]),
  ];
  const gone = dead.map(({ name, problem, source }) => `${name} (${place(source)}) does not work: ${problem}`);
  if (parts.length === 0) return undefined;
  const line = asked === 0 ? `guards: ${parts.join()}` : parts.join(", ");
  return gone.length === 0 ? line : `${line}. ${gone.join("; ")}. What they guard is refused.`;
}

/** Formats one line about hooks that were found but do not run; undefined if all run. */
export function notRunning(report: LoadReport, { more }: Reader): string | undefined {
  const { found, runs } = hookCounts(report);
  const not = found - runs;
  const parts = [
    ...(not === 0 ? [] : [`${runs} of ${found} hooks run, ${not} ${not === 1 ? "does" : "do"} not`]),
    ...waitingItems(report),
  ];
  return parts.length === 0 ? undefined : `${parts.join("; ")}: ${more} says why.`;
}
