import { relative, sep } from "node:path";
import type { Diagnostic, LoadReport } from "@hookline/runtime";
import { type Code, place } from "@hookline/runtime/internal";
import { hookCounts, waitingItems } from "../item/summary.ts";

/** A diagnostic for a person: what happened, then what to do. */
export function diagnosticLine(diagnostic: Diagnostic): string {
  return `${diagnostic.severity}: ${diagnostic.message}. ${diagnostic.hint}`.replace(/\.\. /, ". ");
}

/** What a policy made of a failure, which the failure's own line says already. */
const SAID_WITH_FAILURE: readonly Code[] = ["FAILED_OPEN", "FAILED_CLOSED", "WITHHELD"];

/** What goes on or is refused, by the event or its area. */
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

/** Where a person is, for paths and for where more can be seen. */
export interface Reader {
  readonly cwd: string;
  readonly home: string;
  /** The panel's name on a screen, a command elsewhere. */
  readonly more: string;
}

/** A diagnostic for a person while the agent runs: a hook's failure as one line, which may be empty as it was told. */
export function runningLine(diagnostic: Diagnostic, reader: Reader): string | undefined {
  if (SAID_WITH_FAILURE.includes(diagnostic.code)) return undefined;
  const { failure, source } = diagnostic;
  if (failure === undefined || source === undefined) return diagnosticLine(diagnostic);
  const { what, said, moment, effect } = failure;
  const why = `${what.replace(/^exit code /, "exit ")}${said === undefined ? "" : `: ${said}`}`;
  const subject = SUBJECTS[moment] ?? SUBJECTS[moment.split(".", 1)[0] as string] ?? moment;
  const became = effect === undefined ? "" : `; ${subject} ${effect}`;
  return `⚠ ${shortPath(place(source), reader)} failed (${why})${became} · ${reader.more}`;
}

/** A path as it is seen from the working folder, or from home. */
function shortPath(path: string, { cwd, home }: Reader): string {
  if (path.startsWith(cwd + sep)) return relative(cwd, path);
  return home !== "" && path.startsWith(home + sep) ? `~/${relative(home, path)}` : path;
}

/** One line that sums up what was found and does not run; nothing when all runs. */
export function notRunning(report: LoadReport): string | undefined {
  const { found, runs } = hookCounts(report);
  const not = found - runs;
  const parts = [
    ...(not === 0 ? [] : [`${runs} of ${found} hooks run, ${not} ${not === 1 ? "does" : "do"} not`]),
    ...waitingItems(report),
  ];
  return parts.length === 0 ? undefined : `${parts.join("; ")}: \`hookline hooks\` says why.`;
}
