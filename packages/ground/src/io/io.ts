import type { InputWait } from "./stdin.ts";

/** The administrator's settings file and its required owner. */
export interface ManagedPlace {
  readonly path: string;
  /** The user id that must own the file and its folder. */
  readonly uid: number;
}

/** A command's streams, folder and environment variables, passed in so that tests can replace them. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Returns all of stdin. Throws `WRONG_USE` if it is too large. */
  readStdin(wait: InputWait): Promise<string>;
  /** Aborts when nobody reads stdout any more. Later output is lost. */
  readonly readerGone?: AbortSignal;
  /** stdin as a stream, for modes that read it as it arrives. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** The administrator's settings file, for tests. Default: `MANAGED_SETTINGS`. */
  readonly managed?: ManagedPlace;
  /** Asks the user on the terminal and returns the line that they type. Absent if nobody can be asked. */
  ask?(question: string): Promise<string>;
}

/** Exit codes of the process. Source: design/cli.md. */
export const EXIT = { fine: 0, failed: 1, usage: 2, stopped: 3 } as const;
