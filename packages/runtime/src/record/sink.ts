import type { RecordLevel } from "./line.ts";

/** Where a recording goes; what a host gives. One that throws is told of once, and given nothing more. */
export interface RecordSink {
  readonly level: RecordLevel;
  /**
   * No message of a conversation changes once the host has handed it over. Then one that was recorded need not be
   * compared again, of which a long conversation has many. Default: false.
   */
  readonly stable?: boolean;
  /** Takes one line with its line break. Lines come in order, and each must be kept whole or not at all. */
  write(line: string): void;
  /** Resolves when what was written is kept. */
  flush(): Promise<void>;
}

/** What the agent's own files are more than that. */
export interface FileSink extends RecordSink {
  /** The byte at which the next line will stand. Throws while nothing can be written; after a failed write it is asked again. */
  place?(): number;
  /** Has what was written kept before it returns: what a guard has decided is on record before the call runs. */
  keep?(): void;
  /** The session's own file, where it is kept. */
  readonly sessionFile?: string | undefined;
}
