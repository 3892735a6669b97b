import type { ProcessCall } from "../../port/process.ts";
import type { Streams } from "./plumbing.ts";

/** A program that is ready to be started: nothing in it depends on the host any more. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: "none" | "pipe" | "inherit";
  /** It runs in the host's own group and session, and so has the host's terminal. */
  readonly isGuest: boolean;
}

/** Whether a call gets the host's terminal. */
export function isGuestOf({ stdin, terminal }: Pick<ProcessCall, "stdin" | "terminal">): boolean {
  return stdin === "inherit" || terminal === true;
}

/** How a process ended; `lost` when somebody else has collected its end, so that nobody can tell. */
export type Exit = { readonly code: number | null; readonly signal: string | null } | "lost";

/** A running process. What it says is kept until somebody listens. */
export interface Running extends Streams {
  readonly pid: number;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
}

/** Why there is no process. */
export interface StartFailure {
  readonly code: string;
  /** The kernel's words, if it was the kernel. */
  readonly message: string;
}

/** The failure that an error of the operating system stands for. */
export function failureOf(error: unknown): StartFailure {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { code: typeof code === "string" ? code : "UNKNOWN", message: String(message) };
}
