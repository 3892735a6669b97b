import type { Call, ProcessCall, Scan, Surroundings } from "@hookline/runtime/dialect";
import { HookFailure } from "@hookline/runtime/dialect";
import { processFailure } from "../../settings-hooks/process-failure.ts";
import { isFailing, objectIn, type Report } from "./answer.ts";
import type { Definition } from "./definition.ts";
import { EVENTS } from "./fields.ts";
import { filled, filledArgument, variablesOf } from "./variables.ts";
import type { ClaudeEvent } from "./views.ts";

/** The parameters of a command's run, besides its definition. */
export interface CommandRun {
  readonly around: Surroundings;
  /** Names the process in reports. */
  readonly label: string;
  readonly tier: ProcessCall["tier"];
  /**
   * Script files that the command runs. If the command fails and one of them is missing, this counts as hookline's
   * failure, and the exit code is no answer.
   */
  readonly scripts: readonly string[];
  /** The path for `CLAUDE_ENV_FILE`; only for events whose hooks may change the environment of later commands. */
  readonly envFile?: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a command with the event as JSON on stdin: through `bash -c`, through `sh -c` without bash, or directly if the
 * settings have `args`. Throws a `HookFailure` if the command fails. Source: spec/claude.md 2 and 7.
 */
export async function runCommand(
  definition: Definition,
  event: ClaudeEvent,
  call: Pick<Call, "note" | "pass" | "trace">,
  run: CommandRun,
): Promise<Report> {
  const { around, label, tier, scripts, signal } = run;
  const variables = variablesOf(definition, around.scan);
  const report = await around.transports.process.run({
    command: commandOf(definition, variables, around.scan),
    cwd: event.cwd,
    tier,
    env: {
      ...definition.env,
      ...variables,
      CLAUDECODE: "1",
      CLAUDE_CODE_CHILD_SESSION: "1",
      CLAUDE_CODE_SESSION_ID: event.session_id,
      CLAUDE_PID: String(process.pid),
      ...(event.effort !== undefined && { CLAUDE_EFFORT: event.effort.level }),
      ...(run.envFile !== undefined && { CLAUDE_ENV_FILE: run.envFile }),
      ...(call.pass === 2 && { HOOKLINE_RECHECK: "1" }),
    },
    ...(call.trace !== undefined && { trace: call.trace }),
    stdin: JSON.stringify(event),
    timeoutMs: definition.timeoutMs,
    signal,
    label,
  });
  const { status, exitCode = 0, stdout, stdoutValid, stderr } = report;
  if (stderr !== "") call.note(stderr);
  if (status !== "exited") throw processFailure(report, definition.timeoutMs);
  const left: Report = { exit: exitCode, stdout: stdoutValid ? stdout : "", stderr };
  const gone = exitCode === 0 ? undefined : scripts.find((path) => around.scan.files.stat(path) === undefined);
  if (gone !== undefined && (isFailing(left) || exitCode === 2))
    throw new HookFailure("engine", `${gone} is gone since it was loaded`, "FILE_GONE");
  if (!stdoutValid && exitCode !== 2) throw new HookFailure("bad", "its output is not valid UTF-8");
  if (isFailing(left) && objectIn(stdout) === undefined) throw new HookFailure("exited", `exit code ${exitCode}`);
  return left;
}

function commandOf(
  { command = "", args, shell, plugin }: Definition,
  variables: Readonly<Record<string, string>>,
  { files }: Pick<Scan, "files">,
): ProcessCall["command"] {
  if (args !== undefined) {
    const fill = (text: string): string => filledArgument(text, variables, plugin?.options);
    return { file: fill(command), args: args.map(fill) };
  }
  const text = filled(command, variables);
  if (shell === "powershell") return { file: "pwsh", args: ["-NoProfile", "-NonInteractive", "-Command", text] };
  if (shell === "bash") return { file: "bash", args: ["-c", text] };
  // Commands are written for bash. A smaller sh ends with code 2 at bash's arrays and tests, which would refuse the
  // call.
  return files.stat(BASH)?.kind === "file" ? { file: BASH, args: ["-c", text] } : { shell: text };
}

const BASH = "/bin/bash";

/** Whether hooks of an event may change the environment of later commands. */
export function hasEnvFile({ event }: Definition): boolean {
  return EVENTS[event]?.hasEnvFile === true;
}
