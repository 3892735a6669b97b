import type { Status } from "../run/outcome.ts";
import type { Would } from "../run/would.ts";

/** The version of the format that this hookline writes and reads. */
export const RECORDING_VERSION = 2;

/** How much of a session is recorded, most last. */
export const LEVELS = ["log", "decisions", "all"] as const;

/** How much of a session is recorded: `log` without payloads, `decisions` without what comes by the token, or `all`. */
export type RecordLevel = (typeof LEVELS)[number];

/** The first line of a recording, and again wherever a resumed session goes on in the same file. */
export interface RecordingHeader {
  readonly v: 2;
  readonly kind: "recording";
  /** Where this line says that it begins, in bytes; what refers to values behind it counts from there. */
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
  /** What a moment's scene is beside the folder, where the moment does not say it. */
  readonly scene?: Omit<MomentScene, "cwd">;
  /** The session's own file, where it is kept. */
  readonly sessionFile?: string;
}

/** What the host knew of the session at a moment. */
export interface MomentScene {
  readonly cwd: string;
  /** Where it is not the session of the header. */
  readonly session?: string;
  /** The id of the sub-agent whose event it is. */
  readonly agent?: string;
  /** The model's id. */
  readonly model?: string;
  /** The named context. */
  readonly context?: string;
}

/**
 * What became of one hook at a moment. `asked`: it was registered for the event and said nothing; how long it took, and
 * whether a filter kept the event from it, is known of guards alone.
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
  /** SHA-256 of the file that defines it, where it is one. */
  readonly hash?: string;
  /** Of one that was skipped: the filter that kept the event from it. */
  readonly filter?: string;
  /**
   * It was asked without its answer counting. In the file its entry has the status `asked`, and what it said is a line
   * of its own behind the moment's, `{"v":2,"n":…,"shadow":{"id":…}}`, since it is asked when the moment has been decided.
   */
  readonly shadow?: true;
  /** What its answer would have come to; of a hook in shadow that would have done something. */
  readonly would?: Would;
}

/** What a hook in shadow said, and took: the part of its entry that is known later. */
export type ShadowAnswer = Pick<MomentHook, "id" | "status" | "ms" | "answer" | "problem" | "stderr" | "would">;

/** Who changed which field from what to what. */
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
  /** Counts the moments behind a header, from 1. */
  readonly n: number;
  /** Epoch ms, when its hooks had answered. */
  readonly t: number;
  readonly event: string;
  /** The turn's number in its run. */
  readonly turn?: number;
  /** Of a guarded tool call: the hash of the call as it was judged last. */
  readonly call?: string;
  readonly scene: MomentScene;
  /** As the host had it; not at level `log`. */
  readonly payload?: unknown;
  readonly hooks: readonly MomentHook[];
  readonly edits: readonly MomentEdit[];
  /** What the hooks' answers came to; `{}` where nobody answered. */
  readonly outcome: unknown;
  /**
   * What a person, or a hook in a person's place, said to `ask`. In the file it is a line of its own behind the
   * moment's, `{"v":2,"n":…,"asked":…}`, since the moment is written before anybody has answered.
   */
  readonly asked?: { readonly answer: "allow" | "deny"; readonly by: string };
  /** Where a value stands as it left the last redactor, as paths such as `payload.text`. */
  readonly redacted?: readonly string[];
  /** Fields that are not there or not whole, as paths: the host's own objects, and what has functions. */
  readonly partial?: readonly string[];
  readonly ms: number;
}
