import { exitCode } from "@hookline/ground/system";
import type { HostServices } from "@hookline/runtime";
import type { HookRuntime } from "@hookline/runtime/session";

/** Runs programs for hooks in a folder, without a shell, and ends them with the runtime. */
export function execIn({ processes }: Pick<HookRuntime, "processes">, cwd: string): NonNullable<HostServices["exec"]> {
  return async (command, args, options = {}) => {
    const report = await processes.run({
      command: { file: command, args },
      cwd: options.cwd ?? cwd,
      tier: "user",
      env: {},
      // A hook starts these programs, so they get no trace context.
      trace: "none",
      timeoutMs: options.timeout ?? 2 ** 31 - 1,
      ...(options.signal !== undefined && { signal: options.signal }),
      label: command,
    });
    const truncated = report.status === "over-limit";
    const killed = truncated || report.status === "timed-out" || report.status === "aborted";
    const stderr = report.startError === undefined ? report.stderr : report.startError.message;
    return {
      stdout: report.stdout,
      stderr,
      // A program that could not start, or whose output was cut off, must not look as if it had succeeded.
      code: Math.max(exitCode(report) ?? 1, Number(truncated)),
      killed,
      truncated,
    };
  };
}
