import type { Terminal } from "@earendil-works/pi-tui";
import type { InputWait } from "./stdin.ts";

/** The administrator's settings file, and whose it must be. */
export interface ManagedPlace {
  readonly path: string;
  /** The user id that must own the file and its folder. */
  readonly uid: number;
}

/** Where a command reads and writes; handed in so that commands can be tested. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  out(text: string): void;
  err(text: string): void;
  /** All of stdin; throws `INVALID_OPTION` where it is too much. */
  readStdin(wait: InputWait): Promise<string>;
  /** Aborted when nobody reads stdout any more; what is written then is lost. */
  readonly readerGone?: AbortSignal;
  /** What comes in on stdin, for modes that read it as it comes. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** The terminal of a screen; absent means that of the process. */
  terminal?(): Terminal;
  /** Where the administrator's settings are; for tests. Default: `MANAGED_SETTINGS`. */
  readonly managed?: ManagedPlace;
  /** Asks a person on the terminal and gives the line that they type; absent where nobody can be asked. */
  ask?(question: string): Promise<string>;
}

/** What a process ends with. Source: design/cli.md. */
export const EXIT = { fine: 0, failed: 1, usage: 2, stopped: 3 } as const;
