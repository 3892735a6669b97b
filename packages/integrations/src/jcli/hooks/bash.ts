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

/** The parameters of a command's run, besides its definition. */
export interface BashRun {
  readonly around: Surroundings;
  /** Names the process in reports. */
  readonly label: string;
  readonly tier: Tier;
  /** Script files that the command runs. If it fails and one of them has been deleted, the report names that file. */
  readonly scripts: readonly string[];
}

/**
 * Runs a command with `sh -c` in the session's folder, with the event as one line of JSON on stdin. Returns its
 * unparsed output. Throws a `HookFailure` unless it exits normally. Source: seed 003, "Bash Hook 脚本协议".
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
 * Parses a command's output. Blank output is no answer; any other must be exactly one JSON value. Throws a
 * `HookFailure` that says what is wrong without quoting the output.
 */
export function readPrinted(printed: string): unknown {
  return /^[ \t\r\n]*$/.test(printed) ? undefined : parseAnswer(printed);
}

/** Parses JSON strictly. A field of an answer that occurs twice is a failure, since either value may be meant. */
export function parseAnswer(text: string): unknown {
  const read = readJson(text);
  if (!read.ok) throw unreadJson(read);
  const twice = read.repeated.find((key) => (RESULT_FIELDS as readonly string[]).includes(key));
  if (twice !== undefined)
    throw new HookFailure("bad", `${twice} appears in it twice`, undefined, isRewrite(read.value));
  return read.value;
}
