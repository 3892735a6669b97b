import { type Diagnostic, diagnose, HooklineError, MAX_MS, SIZE_LIMITS } from "@hookline/ground";
import type { ProcessCall } from "../../port/process.ts";

const DEFAULT_STDOUT_BYTES = SIZE_LIMITS.answer.most;
const DEFAULT_STDERR_BYTES = SIZE_LIMITS.stderr.most;

/** The limits of one run of a process, in milliseconds and in bytes per stream; `timeoutMs` counts from its start. */
export interface Limits {
  readonly timeoutMs: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  /** The limit of both streams together, in bytes. */
  readonly maxOutputBytes: number;
}

/** The limits of a process that is kept running: none on time and output. Of stderr, both ends are kept. */
export const OPEN_LIMITS: Limits = {
  timeoutMs: Number.POSITIVE_INFINITY,
  maxStdoutBytes: Number.MAX_SAFE_INTEGER,
  maxStderrBytes: DEFAULT_STDERR_BYTES,
  maxOutputBytes: Number.MAX_SAFE_INTEGER,
};

/**
 * Reads the limits of a call (guarantees R41). An invalid time or size throws `INVALID_OPTION`, so that no mistake
 * means an immediate timeout or none at all. A time that is too long is shortened and reported.
 */
export function readLimits(call: ProcessCall, report: (diagnostic: Diagnostic) => void): Limits {
  return {
    timeoutMs: readTimeMs(call, report),
    maxStdoutBytes: readBytes("maxStdoutBytes", call.maxStdoutBytes ?? DEFAULT_STDOUT_BYTES),
    maxStderrBytes: readBytes("maxStderrBytes", call.maxStderrBytes ?? DEFAULT_STDERR_BYTES),
    maxOutputBytes: readBytes("maxOutputBytes", call.maxOutputBytes ?? Number.MAX_SAFE_INTEGER),
  };
}

function readTimeMs({ timeoutMs, label }: ProcessCall, report: (diagnostic: Diagnostic) => void): number {
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0)) {
    throw new HooklineError("INVALID_OPTION", {
      option: `timeoutMs of "${label}"`,
      problem: `is ${String(timeoutMs)}, which is not a valid time`,
      remedy: `Give whole milliseconds between 1 and ${MAX_MS}.`,
    });
  }
  if (timeoutMs <= MAX_MS) return Math.ceil(timeoutMs);
  report(
    diagnose("LIMIT_CLAMPED", { what: `timeoutMs of "${label}"`, given: timeoutMs, used: MAX_MS, remedy: "Lower it." }),
  );
  return MAX_MS;
}

function readBytes(option: string, bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes;
  throw new HooklineError("INVALID_OPTION", {
    option,
    problem: `is ${String(bytes)}, which is not a valid size`,
    remedy: "Give whole bytes, 0 or more.",
  });
}
