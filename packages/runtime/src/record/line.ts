import type { Status } from "../run/outcome.ts";
import type { Would } from "../run/would.ts";

/** The version of the format that this hookline writes and reads. */
export const RECORDING_VERSION = 2;

/** How much of a session is recorded, from least to most. */
export const LEVELS = ["log", "decisions", "all"] as const;

/** How much of a session is recorded: `log` without payloads, `decisions` without what comes by the token, or `all`. */
export type RecordLevel = (typeof LEVELS)[number];

/** The first line of a recording; there is another wherever a resumed session continues in the same file. */
export interface RecordingHeader {
  readonly v: 2;
  readonly kind: "recording";
  /** The byte at which this line begins, as it says; references to values after it count from there. */
  readonly at: number;
  readonly session: string;
  readonly cwd: string;
  /** The version of hookline that wrote it. */
  readonly hookline: string;
  /** The program that embeds the library, where it is not hookline's own agent. */
  readonly host?: string;
  readonly level: RecordLevel;
  /** Epoch ms. */
  readonly t: number;
  /** The scene, without the folder, of moments that do not say theirs. */
  readonly scene?: Omit<MomentScene, "cwd">;
  /** The session's own file, if it is kept. */
  readonly sessionFile?: string;
}

/** The host's knowledge of the session at a moment. */
export interface MomentScene {
  readonly cwd: string;
  /** Present if it is not the header's session. */
  readonly session?: string;
  /** The id of the sub-agent whose event it is. */
  readonly agent?: string;
  /** The model's id. */
  readonly model?: string;
  /** The named context. */
  readonly context?: string;
}

/**
 * The result of one hook at a moment. `asked`: it was registered for the event and did not answer; its duration, and
 * whether a filter kept the event from it, are known only for guards.
 */
export interface MomentHook {
  readonly id: string;
  readonly lane: string;
  /** Where it is defined. */
  readonly source: string;
  readonly pass: 1 | 2;
  readonly status: Status | "asked";
  readonly ms?: number;
  /** In its dialect's own words; not at level `log`. */
  readonly answer?: unknown;
  readonly problem?: string;
  readonly stderr?: unknown;
  /** SHA-256 of the file that defines it, if a file does. */
  readonly hash?: string;
  /** If it was skipped: the filter that kept the event from it. */
  readonly filter?: string;
  /**
   * It was asked, but its answer did not count. In the file its entry has the status `asked`, and its answer is a later
   * line, `{"v":2,"n":…,"shadow":{"id":…}}`, because it is asked after the moment has been decided.
   */
  readonly shadow?: true;
  /** The effect that its answer would have had, if it is in shadow and would have had one. */
  readonly would?: Would;
}

/** The answer of a hook in shadow and its duration: the part of its entry that is known later. */
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

/** One event of the catalog with who was asked and what came of it. */
export interface MomentLine {
  readonly v: 2;
  /** Counts the moments after a header, from 1. */
  readonly n: number;
  /** Epoch ms at which its hooks had answered. */
  readonly t: number;
  readonly event: string;
  /** The turn's number in its run. */
  readonly turn?: number;
  /** For a guarded tool call: the hash of the call as it was last judged. */
  readonly call?: string;
  readonly scene: MomentScene;
  /** As the host had it; not at level `log`. */
  readonly payload?: unknown;
  readonly hooks: readonly MomentHook[];
  readonly edits: readonly MomentEdit[];
  /** The hooks' answers combined; `{}` if nobody answered. */
  readonly outcome: unknown;
  /**
   * The answer to `ask` of a person, or of a hook in a person's place. In the file it is a later line,
   * `{"v":2,"n":…,"asked":…}`, because the moment is written before anybody has answered.
   */
  readonly asked?: { readonly answer: "allow" | "deny"; readonly by: string };
  /** Paths of values that are recorded as they left the last redactor, such as `payload.text`. */
  readonly redacted?: readonly string[];
  /** Paths of fields that are missing or incomplete: the host's own objects, and values with functions. */
  readonly partial?: readonly string[];
  readonly ms: number;
}
