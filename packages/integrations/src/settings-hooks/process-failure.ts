import type { ProcessReport } from "@hookline/runtime/dialect";
import { HookFailure } from "@hookline/runtime/dialect";

/**
 * Describes why a program gave no answer, unless it exited with 0. Failures that are not the program's fault have the
 * cause "engine".
 */
export function processFailure(report: ProcessReport, timeoutMs: number): HookFailure {
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
      return new HookFailure("engine", "its output is larger than hookline reads", "OUTPUT_LIMIT");
    case "not-started": {
      const { code, message } = report.startError ?? { code: "", message: "the reason is not known" };
      return new HookFailure("engine", message, code === "E2BIG" ? "TOO_LARGE" : "START_FAILED");
    }
  }
}
