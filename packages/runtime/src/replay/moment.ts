import type { Message } from "../catalog/message.ts";
import type { Edit, HookRun } from "../run/outcome.ts";
import type { Would } from "../run/would.ts";

/** The kind of a source file: a recording, a fleet's copy of one, or a session file of the named agent. */
export type SourceKind = "recording" | "hookline" | "pi" | "omp" | "claude" | "codex" | "fleet";

/** The reason why hooks cannot be asked about a moment. */
export type NotAsked = "unknown-tool" | "not-loadable" | "no-such-event" | "unreadable-line";

/** The answer of a hook in shadow at a moment, and the effect that it would have had. */
export interface ShadowRun extends Pick<HookRun, "hook" | "lane" | "status" | "answer" | "ms" | "problem"> {
  readonly would?: Would;
}

/** The fields that a recording contains about a moment besides its payload. */
export interface Recorded {
  /** The combined answers of the hooks. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly hooks: readonly Pick<HookRun, "hook" | "lane" | "status" | "answer" | "ms" | "problem">[];
  readonly edits: readonly Pick<Edit, "hook" | "lane" | "field" | "from" | "to">[];
  /** The answer to a guard's `ask`, and who gave it. */
  readonly asked?: { readonly answer: string; readonly by: string };
  /** Answers of hooks in shadow; they had no effect. */
  readonly shadow: readonly ShadowRun[];
  /** Paths of values that are recorded as the last redactor left them. */
  readonly redacted: readonly string[];
  /** Paths of fields that are missing or incomplete: the host's own objects, and values that contain functions. */
  readonly partial: readonly string[];
  readonly ms: number;
}

/** An entry of a session file, with the fields that every entry has; the others depend on its `type`. */
export interface BranchEntry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  readonly [fact: string]: unknown;
}

/** The branch of a session up to a moment; read from the file only when it is needed. */
export interface Branch {
  /** A number that grows with every entry of the file, so that a cached branch is recognised as outdated. */
  readonly size: number;
  readonly leafId: string | null;
  /** Returns the entries from the root to the leaf. */
  entries(): readonly BranchEntry[];
}

/** One event of the catalog in a recorded session, with its line in the source file. */
export interface Moment {
  /** The 1-based number of the line. */
  readonly line: number;
  /** The 1-based number of the call in its line; absent if a line is one moment. */
  readonly part?: number;
  /** The time in milliseconds since the epoch; 0 if the source does not contain it. */
  readonly t: number;
  readonly event: string;
  /** The payload; `undefined` if the source does not contain it. */
  readonly payload: Readonly<Record<string, unknown>> | undefined;
  readonly scene: {
    readonly cwd?: string | undefined;
    readonly model?: string | undefined;
    readonly context?: string | undefined;
  };
  /** The reason why hooks cannot be asked about the moment; absent if they can. */
  readonly notAsked?: NotAsked;
  readonly recorded?: Recorded;
  readonly branch?: Branch;
}

/** The facts about a session that its source file states before the first moment. */
export interface SourceHead {
  readonly kind: SourceKind;
  readonly session: string;
  readonly cwd?: string;
  /** The machine that the session ran on; only for a recording that a fleet has collected. */
  readonly machine?: string;
  /** Whether the source file contains the decisions of hooks, as a recording does. */
  readonly decided: boolean;
  /** Whether the source file begins as a log, which has no payloads to ask hooks about. */
  readonly isLog?: true;
}

/** A source file to read, with functions that are called while it is read. */
export interface SourceStream {
  readonly path: string;
  /** Counts a line that was not understood. */
  skip(reason: string): void;
  /** Called with the number of bytes of the file that have been read. */
  passed?(bytes: number): void;
  /**
   * Whether to go on after the end of the file. Each time that all of it has been read, the reader yields a moment with
   * an empty `event` and no `notAsked`. The next request continues with what the file has by then.
   */
  readonly follows?: boolean;
  /** Returns the messages that the recorded agent sends a model for these entries. Default: those in the entries. */
  messagesOf?(entries: readonly BranchEntry[]): readonly Message[];
}

/** A reader of one kind of file. */
export interface SourceReader {
  /** Identifies a file by its first bytes; `undefined` if it is not of this kind. */
  recognise(first: Uint8Array): SourceHead | undefined;
  /** Yields the moments in order. Skips and counts lines that it does not understand; no line makes it throw. */
  moments(stream: SourceStream): Iterable<Moment> | AsyncIterable<Moment>;
}
