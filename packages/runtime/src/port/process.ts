import type { Tier } from "../error/diagnostic.ts";

/** What to start: text for `sh -c`, or a program with its arguments. */
export type ProcessCommand = { readonly shell: string } | { readonly file: string; readonly args: readonly string[] };

/** A program to run to its end, and what it is given. */
export interface ProcessCall {
  readonly command: ProcessCommand;
  readonly cwd: string;
  /**
   * The base environment follows from the tier (guarantees R15): `user`, `builtin` and `session` inherit all but provider keys,
   * `project` an allowlist. Protocol variables of every dialect are removed first, then `env` is set.
   */
  readonly tier: Tier;
  readonly env: Readonly<Record<string, string>>;
  /** How the names of variables begin that are not inherited. */
  readonly without?: string;
  /** Text or bytes written to stdin and closed; `inherit` hands over the host's own; absent means /dev/null. */
  readonly stdin?: string | Uint8Array | "inherit";
  /** Leaves the process in the host's group and session, so that it can open the terminal by name. With `inherit` it always is. */
  readonly terminal?: boolean;
  /** Counted from the start of the process, the write of stdin included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Over this the process group is ended and the report says `over-limit`. Default 8 MiB. */
  readonly maxStdoutBytes?: number;
  /** False leaves `stdout` of the report empty, for a caller that sees all of it by `onData`. Default true. */
  readonly keepsStdout?: boolean;
  /** Of both streams together; over this, too, the group is ended and the report says `over-limit`. Absent: no limit. */
  readonly maxOutputBytes?: number;
  /** Head and tail are kept, the middle is replaced by a notice. Default 64 KiB. */
  readonly maxStderrBytes?: number;
  /** Sees raw bytes as they arrive, both streams in arrival order. */
  onData?(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
  /** Names the process in diagnostics. */
  readonly label: string;
}

/** What happened, never what it means. */
export interface ProcessReport {
  /** `aborted` by the signal, `over-limit` by `maxStdoutBytes` or `maxOutputBytes`, `not-started` with `startError`. */
  readonly status: "exited" | "signalled" | "timed-out" | "aborted" | "over-limit" | "not-started";
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdout: string;
  /** False when stdout was not valid UTF-8; `stdout` then holds replacement characters and must not decide anything. */
  readonly stdoutValid: boolean;
  readonly stderr: string;
  readonly startError?: { readonly code: string; readonly message: string };
  readonly pid?: number;
  /** Members of the process group, or marked descendants, that were alive after it was ended. */
  readonly survivors: readonly number[];
  readonly queueMs: number;
  readonly runMs: number;
}

/** Runs one child process, in a group of its own unless it gets the terminal, and reports. Never rejects for what the process does. */
export interface ProcessTransport {
  run(call: ProcessCall): Promise<ProcessReport>;
  /** Ends every running process; resolves when they are gone. */
  close(): Promise<void>;
}

/** Codes that are the engine's fault, so that they close a guard: guarantees 2.0. */
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
  // What Node itself refuses: a NUL character in an argument or variable.
  "ERR_INVALID_ARG_VALUE",
];
