import type { RecordLevel } from "./line.ts";

/**
 * The destination of a recording, which a host provides. If it throws, that is reported once and nothing more is
 * written to it.
 */
export interface RecordSink {
  readonly level: RecordLevel;
  /** Writes one line, which includes its line break. Lines arrive in order; each must be stored whole or not at all. */
  write(line: string): void;
  /** Resolves when everything written so far is stored. */
  flush(): Promise<void>;
}

/** A sink that writes a file. It may also say at which offset it writes, and force written lines to disk. */
export interface FileSink extends RecordSink {
  /**
   * Returns the byte offset at which the next header begins. Called for the first header, and for a new one after a
   * failed write. Throws while nothing can be written.
   */
  place?(): number;
  /** Makes what was written durable before it returns, so that a guard's decision is on disk before the call runs. */
  keep?(): void;
  /** The path of the session's own file; absent if the session is not saved. */
  readonly sessionFile?: string | undefined;
}
