import { execEnd } from "@hookline/ground/system";
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
      // Programs that a hook starts do not become part of the run's telemetry trace.
      trace: "none",
      timeoutMs: options.timeout ?? 2 ** 31 - 1,
      ...(options.signal !== undefined && { signal: options.signal }),
      label: command,
    });
    const stderr = report.startError === undefined ? report.stderr : report.startError.message;
    return { stdout: report.stdout, stderr, ...execEnd(report) };
  };
}
