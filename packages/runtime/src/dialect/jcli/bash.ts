import { delimiter } from "node:path";
import type { Call } from "../../hook/call.ts";
import type { ProcessReport } from "../../port/process.ts";
import { HookFailure } from "../../run/failure.ts";
import type { Surroundings } from "../dialect.ts";
import { readJson } from "../json.ts";
import { isRewrite } from "./answer.ts";
import type { Definition } from "./definition.ts";
import { RESULT_FIELDS } from "./fields.ts";
import type { HookContext } from "./views.ts";

/** What a run of a command needs to know beside its definition. */
export interface BashRun {
  readonly around: Surroundings;
  /** Names the process in reports. */
  readonly label: string;
  readonly tier: "builtin" | "user" | "project" | "session";
  /** Files that the command names; when it fails and one of them is gone, it could not judge. */
  readonly scripts: readonly string[];
}

/**
 * Runs a command: `sh -c` in the session's folder, the event as one line of JSON on stdin.
 * Gives what it printed, unread; throws a `HookFailure` for everything but a normal exit. Source: seed 003, "Bash Hook 脚本协议".
 */
export async function runBash(definition: Definition, event: HookContext, call: Call, run: BashRun): Promise<string> {
  const { around, label, tier, scripts } = run;
  const report = await around.transports.process.run({
    command:
      definition.shell === undefined
        ? { shell: definition.text }
        : { file: definition.shell, args: ["-c", definition.text] },
    cwd: event.cwd,
    tier,
    env: environment(definition, event, call, around),
    stdin: `${JSON.stringify(event)}\n`,
    timeoutMs: definition.timeoutMs,
    signal: call.signal,
    label,
  });
  if (report.stderr !== "") call.note(report.stderr);
  if (report.status === "exited" && report.exitCode === 0) {
    if (!report.stdoutValid) throw new HookFailure("bad", "its output is not valid UTF-8");
    return report.stdout;
  }
  const gone = scripts.find((path) => around.scan.files.stat(path) === undefined);
  if (gone !== undefined && report.status === "exited")
    throw new HookFailure("engine", `${gone} is gone since it was loaded`, "FILE_GONE");
  throw failureOf(report, definition.timeoutMs);
}

function environment(
  definition: Definition,
  event: HookContext,
  call: Call,
  around: Surroundings,
): Record<string, string> {
  const { folder } = definition;
  const path = around.scan.env["PATH"];
  return {
    JCLI_HOOK_EVENT: event.event,
    JCLI_CWD: event.cwd,
    ...(folder !== undefined && { JCLI_HOOK_DIR: folder, PATH: path ? folder + delimiter + path : folder }),
    ...(call.pass === 2 && { HOOKLINE_RECHECK: "1" }),
  };
}

function failureOf(report: ProcessReport, timeoutMs: number): HookFailure {
  switch (report.status) {
    case "exited":
      return new HookFailure("exited", `exit code ${report.exitCode}`);
    case "signalled":
      return new HookFailure("exited", `signal ${report.signal}`);
    case "timed-out":
      return new HookFailure("timeout", `no answer within ${timeoutMs} ms`);
    case "aborted":
      return new HookFailure("aborted", "aborted");
    case "over-limit":
      return new HookFailure("engine", "the limit of its output", "OUTPUT_LIMIT");
    case "not-started": {
      const { code, message } = report.startError ?? { code: "", message: "the reason is not known" };
      return new HookFailure("engine", message, code === "E2BIG" ? "TOO_LARGE" : "START_FAILED");
    }
  }
}

/**
 * Reads what a command printed: nothing and blanks are no answer, else it is exactly one JSON value.
 * Throws a `HookFailure` that says what is wrong without quoting it.
 */
export function readPrinted(printed: string): unknown {
  return /^[ \t\r\n]*$/.test(printed) ? undefined : parseAnswer(printed);
}

/** Reads JSON strictly: a field of an answer that stands in it twice is a failure, since either may be meant. */
export function parseAnswer(text: string): unknown {
  const read = readJson(text);
  if (!read.ok) throw new HookFailure("bad", read.problem);
  const twice = read.repeated.find((key) => (RESULT_FIELDS as readonly string[]).includes(key));
  if (twice !== undefined)
    throw new HookFailure("bad", `${twice} stands in it twice`, undefined, isRewrite(read.value));
  return read.value;
}
