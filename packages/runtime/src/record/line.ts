import type { Status } from "../run/outcome.ts";
import type { Would } from "../run/would.ts";

/** The version of the format that this version of hookline writes and reads. */
export const RECORDING_VERSION = 2;

/** The levels of recording, from least to most. */
export const LEVELS = ["log", "decisions", "all"] as const;

/**
 * How much of a session is recorded: `log` without payloads, `decisions` without events that fire for each token, or
 * `all`.
 */
export type RecordLevel = (typeof LEVELS)[number];

/** The first line of a recording. Another one follows wherever a resumed session continues in the same file. */
export interface RecordingHeader {
  readonly v: 2;
  readonly kind: "recording";
  /** The header's byte offset when it was written. If it has moved since, offsets in references move as much. */
  readonly at: number;
  readonly session: string;
  readonly cwd: string;
  /** The version of hookline that wrote the recording. */
  readonly hookline: string;
  /** The program that embeds the library; absent if it is hookline's own agent. */
  readonly host?: string;
  readonly level: RecordLevel;
  /** The time at which the header was made, in milliseconds since the epoch. */
  readonly t: number;
  /** The scene of every moment that records none of its own, without the working folder (`cwd`). */
  readonly scene?: Omit<MomentScene, "cwd">;
  /** The path of the session's own file; absent if the session is not saved. */
  readonly sessionFile?: string;
}

/** The scene of a moment as it is recorded: the state of the session and the agent around the event. */
export interface MomentScene {
  readonly cwd: string;
  /** The session's id; absent if it is the header's. */
  readonly session?: string;
  /** The id of the sub-agent that the event belongs to. */
  readonly agent?: string;
  /** The model's id. */
  readonly model?: string;
  /** The name of the session's current context, a conversation that keeps its own history. */
  readonly context?: string;
}

/**
 * The result of one hook at a moment. `asked` means that the hook listens to the event and gave no answer. Its
 * duration, and whether its matcher matched the event at all, are then known only for guards.
 */
export interface MomentHook {
  readonly id: string;
  readonly lane: string;
  /** The place of the hook's definition. */
  readonly source: string;
  readonly pass: 1 | 2;
  readonly status: Status | "asked";
  readonly ms?: number;
  /** The answer in the form of the hook's dialect; absent at level `log`. */
  readonly answer?: unknown;
  /** Why the hook gave no answer; absent at level `log` if it failed, because the text may quote what it was shown. */
  readonly problem?: string;
  readonly stderr?: unknown;
  /** The SHA-256 of the file that defines the hook, if a file does. */
  readonly hash?: string;
  /** The matcher that did not match the event; only if the hook was skipped. */
  readonly filter?: string;
  /**
   * Whether the hook is in shadow: it was asked, but its answer did not count. In the file its entry has the status
   * `asked`, and the answer is on a later line, `{"v":2,"n":…,"shadow":{"id":…}}`, because the hook is asked after the
   * decision.
   */
  readonly shadow?: true;
  /** The effect that the answer of a hook in shadow would have had, if any. */
  readonly would?: Would;
}

/** The answer of a hook in shadow and its duration, which are known only after the moment was recorded. */
export type ShadowAnswer = Pick<MomentHook, "id" | "status" | "ms" | "answer" | "problem" | "stderr" | "would">;

/** A change of a field, and the hook that made it. */
export interface MomentEdit {
  readonly hook: string;
  readonly lane: string;
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly pass: 1 | 2;
}

/** One event of the catalog, with the hooks that were asked and the result. */
export interface MomentLine {
  readonly v: 2;
  /** The number of the moment after its header, from 1. */
  readonly n: number;
  /** The time in milliseconds since the epoch at which the hooks had answered. */
  readonly t: number;
  readonly event: string;
  /** The `turnIndex` of the model turn that the moment belongs to. */
  readonly turn?: number;
  /** The hash of a guarded tool call as it was last judged. */
  readonly call?: string;
  readonly scene: MomentScene;
  /** The payload as the host passed it; at level `log` only the value that matchers see, such as a tool's name. */
  readonly payload?: unknown;
  readonly hooks: readonly MomentHook[];
  readonly edits: readonly MomentEdit[];
  /** The combined answers of the hooks; `{}` if none answered. */
  readonly outcome: unknown;
  /**
   * The answer of a person, or of a hook in the person's place, to a guard's `ask`. In the file it is on a later line,
   * `{"v":2,"n":…,"asked":…}`, because the moment is written before anybody has answered.
   */
  readonly asked?: { readonly answer: "allow" | "deny"; readonly by: string };
  /** Paths of values that are recorded as the last redactor left them, such as `payload.text`. */
  readonly redacted?: readonly string[];
  /** Paths of fields that are missing or incomplete: the host's own objects, and values that contain functions. */
  readonly partial?: readonly string[];
  readonly ms: number;
}
