import type { ProcessReport } from "@hookline/runtime/dialect";
import { HookFailure, readJson } from "@hookline/runtime/dialect";
import { unreadJson } from "@hookline/runtime/engine";

/**
 * Returns the stdout of a plugin's run. Throws a `HookFailure` unless the plugin exited normally and printed valid
 * text.
 */
export function outputOf(report: ProcessReport, timeoutMs: number): string {
  switch (report.status) {
    case "exited":
      if (report.exitCode !== 0) throw new HookFailure("exited", `exit code ${report.exitCode}`);
      if (!report.stdoutValid) throw new HookFailure("bad", "its output is not valid UTF-8");
      return report.stdout;
    case "signalled":
      throw new HookFailure("exited", `signal ${report.signal}`);
    case "timed-out":
      throw new HookFailure("timeout", `no answer within ${timeoutMs} ms`);
    case "aborted":
      throw new HookFailure("aborted", "aborted");
    case "over-limit":
      throw new HookFailure("engine", "its output is larger than hookline reads", "OUTPUT_LIMIT");
    case "not-started": {
      const { code, message } = report.startError ?? { code: "", message: "the reason is not known" };
      throw new HookFailure("engine", message, code === "E2BIG" ? "TOO_LARGE" : "START_FAILED");
    }
  }
}

/**
 * Reads a plugin's output as a hook's answer. Empty output and `null` are no answer. Throws a `HookFailure` for
 * anything else that is not a JSON object. At a point that fails open, that counts as no answer, as in chibi.
 */
export function answerOf(output: string): Readonly<Record<string, unknown>> | undefined {
  const text = output.trim();
  if (text === "") return undefined;
  const read = readJson(text);
  if (!read.ok) throw unreadJson(read);
  if (read.value === null) return undefined;
  if (typeof read.value !== "object" || Array.isArray(read.value))
    throw new HookFailure(
      "bad",
      `it is ${Array.isArray(read.value) ? "a list" : `a ${typeof read.value}`}, not an object`,
    );
  return read.value as Readonly<Record<string, unknown>>;
}
