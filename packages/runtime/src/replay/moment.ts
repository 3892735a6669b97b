import type { Message } from "../catalog/message.ts";
import type { Edit, HookRun } from "../run/outcome.ts";
import type { Would } from "../run/would.ts";

/** Which program wrote a source. */
export type SourceKind = "recording" | "hookline" | "pi" | "omp" | "claude" | "codex" | "fleet";

/** Why a moment cannot be asked. */
export type NotAsked = "unknown-tool" | "not-loadable" | "no-such-event" | "unreadable-line";

/** The answer of a hook in shadow at a moment, and the effect that it would have had. */
export interface ShadowRun extends Pick<HookRun, "hook" | "lane" | "status" | "answer" | "ms" | "problem"> {
  readonly would?: Would;
}

/** The recorded parts of a moment beside its payload. */
export interface Recorded {
  /** The hooks' answers combined. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly hooks: readonly Pick<HookRun, "hook" | "lane" | "status" | "answer" | "ms" | "problem">[];
  readonly edits: readonly Pick<Edit, "hook" | "lane" | "field" | "from" | "to">[];
  /** The person's answer to `ask`. */
  readonly asked?: { readonly answer: string; readonly by: string };
  /** Answers of hooks in shadow; they had no effect. */
  readonly shadow: readonly ShadowRun[];
  /** Where a value stands as it left the last redactor. */
  readonly redacted: readonly string[];
  /** Fields that are not there or not whole: the host's own objects, and what has functions. */
  readonly partial: readonly string[];
  readonly ms: number;
}

/** A session's entry, as far as every program that writes this format agrees. */
export interface BranchEntry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  readonly [fact: string]: unknown;
}

/** The branch of a session up to a moment; read from the file when somebody asks. */
export interface Branch {
  /** Changes with each entry. */
  readonly size: number;
  readonly leafId: string | null;
  /** From the root to the leaf. */
  entries(): readonly BranchEntry[];
}

/** One event of the catalog as a host had it, with where it stands in its source. */
export interface Moment {
  /** From 1. */
  readonly line: number;
  /** Which call of its line it is, from 1; absent where a line is one moment. */
  readonly part?: number;
  /** Epoch ms; 0 where the source does not say. */
  readonly t: number;
  readonly event: string;
  /** Absent where the source kept none. */
  readonly payload: Readonly<Record<string, unknown>> | undefined;
  readonly scene: {
    readonly cwd?: string | undefined;
    readonly model?: string | undefined;
    readonly context?: string | undefined;
  };
  /** Why nobody can be asked about it. */
  readonly notAsked?: NotAsked;
  readonly recorded?: Recorded;
  readonly branch?: Branch;
}

/** A source's description of its session, before the first moment. */
export interface SourceHead {
  readonly kind: SourceKind;
  readonly session: string;
  readonly cwd?: string;
  /** The machine of a fleet that it comes from. */
  readonly machine?: string;
  /** Whether it says what was decided. */
  readonly decided: boolean;
  /** Whether it begins as a log, which has no payload to ask a hook about. */
  readonly isLog?: true;
}

/** Parts that reading a source needs. */
export interface SourceStream {
  readonly path: string;
  /** Counts a line of which the source makes nothing. */
  skip(reason: string): void;
  /** Receives how many bytes of the file have been read. */
  passed?(bytes: number): void;
  /**
   * Does not end with the file: whenever all of it has been read a moment without an event and without `notAsked`
   * comes, and what is asked for after that goes on with what the file has more by then.
   */
  readonly follows?: boolean;
  /** Makes the messages of a branch as its program sends them; without it they are those of its entries, in order. */
  messagesOf?(entries: readonly BranchEntry[]): readonly Message[];
}

/** How one kind of file is read. */
export interface SourceReader {
  /** Recognises a file by its first bytes; `undefined` if it is no file of this kind. */
  recognise(first: Uint8Array): SourceHead | undefined;
  /** Its moments in their order. Skips and counts what it does not understand, and throws for no line. */
  moments(stream: SourceStream): Iterable<Moment> | AsyncIterable<Moment>;
}
