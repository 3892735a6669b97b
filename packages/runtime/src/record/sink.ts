import type { RecordLevel } from "./line.ts";

/** Where a recording goes; a host provides it. If it throws, that is reported once and it gets nothing more. */
export interface RecordSink {
  readonly level: RecordLevel;
  /** Takes one line with its line break. Lines come in order, and each must be kept whole or not at all. */
  write(line: string): void;
  /** Resolves when what was written is kept. */
  flush(): Promise<void>;
}

/** A sink of the agent's own files, which can do more. */
export interface FileSink extends RecordSink {
  /** The byte at which the next line will stand. Throws while nothing can be written; after a failed write it is asked again. */
  place?(): number;
  /** Keeps what was written before it returns, so that a guard's decision is on record before the call runs. */
  keep?(): void;
  /** The session's own file, where it is kept. */
  readonly sessionFile?: string | undefined;
}
