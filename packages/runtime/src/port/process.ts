import type { Tier } from "@hookline/ground";
import type { TraceContext } from "./trace-context.ts";

/** A command to start: text for `sh -c`, or a program with its arguments. */
export type ProcessCommand = { readonly shell: string } | { readonly file: string; readonly args: readonly string[] };

/** A program to run to its end, and its input. */
export interface ProcessCall {
  readonly command: ProcessCommand;
  readonly cwd: string;
  /**
   * The tier decides the base environment (guarantees R15): `user`, `builtin` and `session` inherit everything but
   * provider keys, `project` an allowlist. The protocol variables of every dialect are removed first, then `env` is
   * set.
   */
  readonly tier: Tier;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Only for hooks: telemetry variables are neither inherited nor taken from `env`; those of this trace are set.
   * `none`: there is no trace.
   */
  readonly trace?: TraceContext | "none";
  /** Text or bytes to write to stdin, which is then closed; `inherit` passes the host's own; absent means /dev/null. */
  readonly stdin?: string | Uint8Array | "inherit";
  /**
   * Keeps the process in the host's group and session, so that it can open the terminal by name. Implied by `inherit`.
   */
  readonly terminal?: boolean;
  /** Counted from the start of the process; includes the write to stdin. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** If stdout exceeds this, the process group is ended and the report says `over-limit`. Default 8 MiB. */
  readonly maxStdoutBytes?: number;
  /** False leaves `stdout` of the report empty, for a caller that gets all of it from `onData`. Default true. */
  readonly keepsStdout?: boolean;
  /**
   * Limit for both streams together; above it, too, the group is ended and the report says `over-limit`. Absent: no
   * limit.
   */
  readonly maxOutputBytes?: number;
  /** Head and tail are kept; a notice replaces the middle. Default 64 KiB. */
  readonly maxStderrBytes?: number;
  /** Gets raw bytes as they arrive, both streams in order of arrival. */
  onData?(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
  /** Names the process in diagnostics. */
  readonly label: string;
}

/** Reports what happened, never what it means. */
export interface ProcessReport {
  /** `aborted` by the signal, `over-limit` by `maxStdoutBytes` or `maxOutputBytes`, `not-started` with `startError`. */
  readonly status: "exited" | "signalled" | "timed-out" | "aborted" | "over-limit" | "not-started";
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdout: string;
  /** False if stdout was not valid UTF-8; `stdout` then holds replacement characters and must not decide anything. */
  readonly stdoutValid: boolean;
  readonly stderr: string;
  readonly startError?: { readonly code: string; readonly message: string };
  readonly pid?: number;
  /** Members of the process group, or marked descendants, that were still alive after it was ended. */
  readonly survivors: readonly number[];
  readonly queueMs: number;
  readonly runMs: number;
}

/** A program to start and keep running, such as a server that is used over its stdin and stdout. */
export interface OpenCall extends Pick<ProcessCall, "command" | "cwd" | "tier" | "env" | "trace" | "label"> {
  /** Ends the process. */
  readonly signal?: AbortSignal;
  /** Head and tail are kept; a notice replaces the middle. Default 64 KiB. */
  readonly maxStderrBytes?: number;
  /** Gets the raw bytes of stdout. While a returned promise is pending, no more is read, so the program has to wait. */
  onData(chunk: Uint8Array): void | Promise<void>;
}

/** A running program that was started with `open`. */
export interface OpenProcess {
  /** Absent if the program could not be started. */
  readonly pid?: number;
  /** Resolves when the process and its group are gone. Never rejects. */
  readonly ended: Promise<ProcessReport>;
  /**
   * Writes to stdin in order; false if it cannot be written. Resolves when the pipe has taken it, so a slow reader
   * slows the writer down.
   */
  write(text: string): Promise<boolean>;
  /** Closes stdin, waits this long for the process to exit, then ends its group. */
  end(graceMs: number): Promise<ProcessReport>;
}

/**
 * Runs child processes, each in a group of its own unless it gets the terminal, and reports what happened. Never
 * rejects because of what a process does.
 */
export interface ProcessTransport {
  run(call: ProcessCall): Promise<ProcessReport>;
  /** Starts a process that keeps running. It does not count against the limit on processes that run to their end. */
  open(call: OpenCall): Promise<OpenProcess>;
  /** Ends every running process; resolves when they are gone. */
  close(): Promise<void>;
}

/** Error codes of a failed start that are the engine's fault, so that they close a guard: guarantees 2.0. */
export const ENGINE_START_CODES: readonly string[] = [
  "E2BIG",
  "EMFILE",
  "ENFILE",
  "EAGAIN",
  "ENOMEM",
  "ENOENT",
  "EACCES",
  "ETXTBSY",
  "ENOEXEC",
  "ENOTDIR",
  // Node itself refuses these: a NUL character in an argument or variable.
  "ERR_INVALID_ARG_VALUE",
];
