import { delimiter } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Call, Surroundings } from "@hookline/runtime/dialect";
import { HookFailure, readJson } from "@hookline/runtime/dialect";
import { unreadJson } from "@hookline/runtime/engine";
import { processFailure } from "../../settings-hooks/process-failure.ts";
import { isRewrite } from "./answer.ts";
import type { Definition } from "./definition.ts";
import { RESULT_FIELDS } from "./fields.ts";
import type { HookContext } from "./views.ts";

/** Parts that a run of a command needs besides its definition. */
export interface BashRun {
  readonly around: Surroundings;
  /** Names the process in reports. */
  readonly label: string;
  readonly tier: Tier;
  /** Files that the command names; if it fails and one of them is gone, it could not judge. */
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
    ...(call.trace !== undefined && { trace: call.trace }),
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
  throw processFailure(report, definition.timeoutMs);
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

/**
 * Reads what a command printed: nothing and blanks are no answer, else it is exactly one JSON value.
 * Throws a `HookFailure` that says what is wrong without quoting it.
 */
export function readPrinted(printed: string): unknown {
  return /^[ \t\r\n]*$/.test(printed) ? undefined : parseAnswer(printed);
}

/** Reads JSON strictly: a duplicate field in an answer is a failure, since either may be meant. */
export function parseAnswer(text: string): unknown {
  const read = readJson(text);
  if (!read.ok) throw unreadJson(read);
  const twice = read.repeated.find((key) => (RESULT_FIELDS as readonly string[]).includes(key));
  if (twice !== undefined)
    throw new HookFailure("bad", `${twice} appears in it twice`, undefined, isRewrite(read.value));
  return read.value;
}
