import type { Tier } from "@hookline/ground";
import type { TraceContext } from "./trace-context.ts";

/** A command to start: text for `sh -c`, or a program with its arguments. */
export type ProcessCommand = { readonly shell: string } | { readonly file: string; readonly args: readonly string[] };

/** A program to run to its end, and its input. */
export interface ProcessCall {
  readonly command: ProcessCommand;
  readonly cwd: string;
  /**
   * The tier of the definition, which decides the base environment (guarantees R15): `user`, `builtin` and `session`
   * inherit everything but provider keys, `project` an allowlist. The protocol variables of every dialect are removed
   * first, then `env` is set.
   */
  readonly tier: Tier;
  readonly env: Readonly<Record<string, string>>;
  /**
   * The trace that a hook's process joins, or `none`. If it is set, telemetry variables are neither inherited nor taken
   * from `env`.
   */
  readonly trace?: TraceContext | "none";
  /**
   * The text or bytes to write to stdin, which is then closed; `inherit` passes the host's own stdin; absent means
   * /dev/null.
   */
  readonly stdin?: string | Uint8Array | "inherit";
  /**
   * Whether the process stays in the host's group and session, so that it can open the terminal by name. Implied by
   * `inherit`.
   */
  readonly terminal?: boolean;
  /** The time limit in milliseconds, counted from the start of the process; includes the write to stdin. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /**
   * The limit of stdout in bytes; above it the process group is ended, and the report says `over-limit`. Default 8 MiB.
   */
  readonly maxStdoutBytes?: number;
  /** Whether the report contains stdout; false for a caller that takes all of it from `onData`. Default true. */
  readonly keepsStdout?: boolean;
  /**
   * The limit for both streams together, above which the group is ended too and the report says `over-limit`. Absent:
   * no limit.
   */
  readonly maxOutputBytes?: number;
  /** The limit of stderr in bytes; beyond it only head and tail are kept, with a notice between. Default 64 KiB. */
  readonly maxStderrBytes?: number;
  /** Called with raw bytes as they arrive, both streams in order of arrival. */
  onData?(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
  /** The name of the process in diagnostics. */
  readonly label: string;
}

/** The report on a process: what happened, without a judgement. */
export interface ProcessReport {
  /** `aborted`: by the signal. `over-limit`: the output exceeded a limit. `not-started`: see `startError`. */
  readonly status: "exited" | "signalled" | "timed-out" | "aborted" | "over-limit" | "not-started";
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdout: string;
  /** False if stdout was not valid UTF-8; it then contains replacement characters and must not decide anything. */
  readonly stdoutValid: boolean;
  readonly stderr: string;
  readonly startError?: { readonly code: string; readonly message: string };
  readonly pid?: number;
  /** The ids of processes that outlived the end of the group: its members, or others with its `HOOKLINE_RUN_ID`. */
  readonly survivors: readonly number[];
  readonly queueMs: number;
  readonly runMs: number;
}

/** A program to start and keep running, such as a server that is used over its stdin and stdout. */
export interface OpenCall extends Pick<ProcessCall, "command" | "cwd" | "tier" | "env" | "trace" | "label"> {
  /** A signal that ends the process. */
  readonly signal?: AbortSignal;
  /** The limit of stderr in bytes; beyond it only head and tail are kept, with a notice between. Default 64 KiB. */
  readonly maxStderrBytes?: number;
  /**
   * Called with the raw bytes of stdout. While a returned promise is pending, no more is read, so the program has to
   * wait.
   */
  onData(chunk: Uint8Array): void | Promise<void>;
}

/** A running program that was started with `open`. */
export interface OpenProcess {
  /** The process id; absent if the program could not be started. */
  readonly pid?: number;
  /** Resolves when the process and its group are gone. Never rejects. */
  readonly ended: Promise<ProcessReport>;
  /**
   * Writes to stdin in order; resolves when the pipe has taken the text, so a slow reader slows the writer down.
   * Resolves to false if the text cannot be written.
   */
  write(text: string): Promise<boolean>;
  /** Closes stdin, waits `graceMs` milliseconds for the process to exit, then ends its group. */
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
  /** Ends every running process; resolves when all are gone. */
  close(): Promise<void>;
}
