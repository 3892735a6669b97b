import type { ProcessCall } from "../../port/process.ts";
import type { Streams } from "./plumbing.ts";

/** A program with everything that Node or the C library needs to start it. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** The working folder, absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: "none" | "pipe" | "inherit";
  /** Whether the process runs in the host's own group and session, and so shares the host's terminal. */
  readonly isGuest: boolean;
}

/** Returns whether a call gets the host's terminal. */
export function isGuestOf({ stdin, terminal }: Pick<ProcessCall, "stdin" | "terminal">): boolean {
  return stdin === "inherit" || terminal === true;
}

/** The way a process ended; `lost` if other code has collected its exit status. */
export type Exit = { readonly code: number | null; readonly signal: string | null } | "lost";

/** A running process. Its output is buffered until it has a listener. */
export interface Running extends Streams {
  readonly pid: number;
  /** Resolves when the process has ended. Never rejects. */
  readonly exited: Promise<Exit>;
}

/** The reason why a process could not be started. */
export interface StartFailure {
  readonly code: string;
  /** The kernel's error text, if the kernel refused. */
  readonly message: string;
}

/** Returns the failure for an operating system error. */
export function failureOf(error: unknown): StartFailure {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { code: typeof code === "string" ? code : "UNKNOWN", message: String(message) };
}
