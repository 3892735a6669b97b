/**
 * The requests of the inspector's page and their answers, as JSON. Every address begins with `/api/` and needs
 * `Authorization: Bearer TOKEN`; the methods are GET and HEAD. The page of an export passes the same addresses to
 * `globalThis.hooklineExport` (`ExportedApi`) instead, and gets the same answers.
 *
 * | address | answer |
 * |---|---|
 * | `sources` | `Sources` |
 * | `sources/ID/summary` | `Summary` |
 * | `sources/ID/story?MomentQuery` | `Story` |
 * | `sources/ID/moments?MomentQuery` | `Moments` |
 * | `sources/ID/timeline?TimelineQuery` | `Timeline` |
 * | `sources/ID/moments/N` | `Moment` |
 * | `sources/ID/moments/N?full=PATH&from=CHARS` | `FullValue` |
 * | `sources/ID/conversation/N` | `Conversation` |
 * | `sources/ID/hooks` | `Hooks` |
 * | `sources/ID/replay?from=0&count=200` | `Comparison`; only of a replay's result |
 * | `sources/ID/live?from=N` | `application/x-ndjson`, each line a `LiveLine`; not in an export |
 *
 * If a request cannot be answered, the status is 400 or more and the body an `ApiError`.
 *
 * Texts in an answer that come from a hook, a model or a tool are foreign: show them as text, never as HTML.
 */

export type { ComparedSide, Comparison, Difference } from "./api-comparison.ts";
export type { Conversation, ConversationPart } from "./api-conversation.ts";
export type { ActEdit, HookAct, Story, StoryStep } from "./api-story.ts";

/** The body of every answer with an error status. */
export interface ApiError {
  readonly error: {
    /**
     * `bad-request`, `not-found`, `gone`, `unauthorized`, `forbidden`, `wrong-host`, `wrong-method`, `wrong-type`,
     * `too-large`, `too-many` or `failed`.
     */
    readonly code: string;
    /** Text for a person: what happened, and what to do. */
    readonly message: string;
  };
}

/** Answers requests in an export, which has no server. `answer("sources/ID/summary")` resolves to a `Summary`. */
export interface ExportedApi {
  /** Answers a request. `path` is the part of the address after `/api/`, with the query. Rejects with an `ApiError`. */
  answer(path: string): Promise<unknown>;
}

/** The views of the page. */
export type ViewName = "story" | "timeline" | "moment" | "conversation" | "hooks" | "search" | "replay";

/** Whether a source can fill a view. If not, or not completely, `because` says what to switch on. */
export interface ViewState {
  readonly state: "full" | "part" | "empty";
  /** Says what to switch on to fill the view completely; absent if `state` is `full`. */
  readonly because?: string;
}

/** The kind of a source. `session` is an agent's own session file, `replay` the result of `hookline replay`. */
export type SourceKind =
  | "recording"
  | "trace"
  | "session"
  | "replay"
  /** The running session, as `/inspect` shows it: unrecorded moments from the hook panel, then its recording. */
  | "running";

/** A source that the inspector can show. */
export interface InspectedSource {
  /** An opaque id, valid only for this server. */
  readonly id: string;
  readonly kind: SourceKind;
  /** How much a recording keeps; absent for all other sources. */
  readonly level?: "log" | "decisions" | "all";
  /** The agent of the session, if it is not hookline's own: `pi`, `omp`, `claude`, `codex`. */
  readonly agent?: string;
  /** The machine that sent a fleet's stream. */
  readonly machine?: string;
  /** The title: the session's name or first prompt, otherwise its id. Foreign text. */
  readonly title: string;
  readonly session?: string;
  readonly cwd?: string;
  /** Epoch ms of the file's last change, or of its last batch if a machine of a fleet sends it in batches. */
  readonly changed: number;
  readonly bytes: number;
  /** Whether a process is writing the file now. */
  readonly live: boolean;
  /** Only in `sources`: what hooks did. Absent until counted; never counted for sessions, replays and huge files. */
  readonly did?: Did;
}

/** Counts of the hooks' actions in a source. */
export interface Did {
  /** The number of hooks that answered, failed or timed out at least once. */
  readonly hooks: number;
  /** The number of moments with each mark. */
  readonly marks: Readonly<Partial<Record<Mark, number>>>;
}

/** The answer to `sources`: the folder's sources and a named one, or those of a fleet; newest first. */
export interface Sources {
  readonly v: 1;
  /** Version of hookline. */
  readonly hookline: string;
  /** The id of the source to open at once, if one was named. */
  readonly open?: string;
  readonly sources: readonly InspectedSource[];
  /** The name of the fleet whose stream contains the sources. */
  readonly fleet?: string;
  /** The page is an export: it has this one source and no live stream. */
  readonly exported?: true;
}

/** A line that could not be read. */
export interface Damage {
  /** The line's number, from 1. */
  readonly line: number;
  readonly problem: string;
}

/**
 * The answer to `summary`: what a source contains. While `indexed` is less than `bytes`, the index is still being made
 * and all counts grow: ask again.
 */
export interface Summary {
  readonly v: 1;
  readonly source: InspectedSource;
  readonly moments: number;
  /** Epoch ms of the first and the last moment; 0 if there are none. */
  readonly from: number;
  readonly to: number;
  readonly live: boolean;
  /** The id of the source with the session to which the terminal switched after this one. */
  readonly goneOn?: string;
  readonly indexed: number;
  readonly bytes: number;
  /** Whether the last line says that the recording is complete. */
  readonly whole: boolean;
  /** Whether the last line is cut in the middle, as by a writer that was killed. */
  readonly torn: boolean;
  /** The number of damaged lines; `damage` describes the first of them. */
  readonly damaged: number;
  readonly damage: readonly Damage[];
  readonly views: Readonly<Record<ViewName, ViewState>>;
  /** The events and tools to filter by, each with its number of moments; the largest number first. */
  readonly events: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  /** How often each hook was asked, by its id; the largest number first. */
  readonly hooks: Readonly<Record<string, number>>;
  readonly decisions: Readonly<Partial<Record<MomentDecision, number>>>;
  readonly did: Did;
  /** Maps events to their names in the hooks' format, such as `tool.before` to `PreToolUse`; empty if formats mix. */
  readonly names: Readonly<Record<string, string>>;
  /** The `file:line` of each hook, by its id. */
  readonly places: Readonly<Record<string, string>>;
}

/** The hooks' answers at a moment combined; absent if no hook answered. */
export type MomentDecision = "allow" | "ask" | "deny" | "edit";

/** The result of a moment, from which the page chooses a colour. */
export type Mark = "answered" | "refused" | "rewrote" | "failed" | "timed-out" | "shadow";

/** A moment as a list or a bar shows it. */
export interface MomentItem {
  /** The number of the moment in its source, from 1, as in `moments/N`. */
  readonly n: number;
  /** Epoch ms at which the hooks had answered; the moment began `ms` before. */
  readonly t: number;
  readonly ms: number;
  readonly event: string;
  readonly tool?: string;
  /** The sub-agent in which the moment occurred. */
  readonly agent?: string;
  readonly turn?: number;
  readonly decision?: MomentDecision;
  /** The number of hooks that listen to the event, with skipped ones; a guard that is asked twice counts twice. */
  readonly asked: number;
  readonly marks: readonly Mark[];
  /** Only in `moments`: the command or path of a call, or the text, on one line. Foreign text. */
  readonly label?: string;
  /** Only in `moments`: a hook that did something; `says` has what it did, such as `refused it: not here`. */
  readonly hook?: string;
  /** The hook's `file:line`. */
  readonly source?: string;
  readonly says?: string;
}

/** The query of `moments`; all parts are optional, and a moment must match all that are present. */
export interface MomentQuery {
  /** Position in the filtered list, from 0. */
  readonly from?: number;
  /** The number of the moment to put in the middle of the returned list, if possible; used instead of `from`. */
  readonly around?: number;
  /** How many moments to return: at most 500; default 100. */
  readonly count?: number;
  /** Names of events, separated by commas. `tool.*` means all events that begin with `tool.`. */
  readonly event?: string;
  /** Only moments whose event the hook with this id listens to, even if it was skipped. May be repeated. */
  readonly hook?: string;
  /** Names of tools, separated by commas. */
  readonly tool?: string;
  /** Decisions and marks, separated by commas; `none` means moments without a decision. */
  readonly decision?: string;
  /** Text that the moment contains: in arguments, texts, answers, reasons or errors. Case is ignored. */
  readonly q?: string;
  /** Epoch ms: only moments that ended at `since` or later and began at `until` or earlier. */
  readonly since?: number;
  readonly until?: number;
}

/** The answer to `moments`: the requested part of the moments that match the query. */
export interface Moments {
  readonly v: 1;
  /** The number of moments that match the query, as far as the source is indexed. */
  readonly total: number;
  /** Position of the first returned item in the filtered list, from 0. */
  readonly from: number;
  /** Whether the index is still being made. */
  readonly partial: boolean;
  readonly items: readonly MomentItem[];
}

/**
 * The query of `timeline`: the filters of `moments`, a span (`since`, `until`; default all), and the number of columns.
 */
export interface TimelineQuery extends Omit<MomentQuery, "from" | "around" | "count"> {
  /** The number of columns: at most 2000; default 200. */
  readonly columns?: number;
}

/** One column of a lane, such as `tool`, in the timeline. Columns without moments are left out. */
export interface TimelineCell {
  /** The column's number, from 0. */
  readonly column: number;
  readonly count: number;
  /** The first moment in the column. */
  readonly n: number;
  /** The number of moments with each mark; marks without any are left out. */
  readonly marks: Readonly<Partial<Record<Mark, number>>>;
}

/** The answer to `timeline`: how many moments a lane, such as `tool`, has in each column of the time. */
export interface Timeline {
  readonly v: 1;
  readonly since: number;
  readonly until: number;
  readonly columns: number;
  readonly partial: boolean;
  /** A lane is the first word of its events: `prompt`, `model`, `tool`, `session` and so on; in order of appearance. */
  readonly lanes: readonly { readonly lane: string; readonly count: number; readonly cells: readonly TimelineCell[] }[];
}

/** A value of which the answer has only the beginning. */
export interface Cut {
  /** JSON pointer into `moment`: `/payload/messages/3/content/0/text`. */
  readonly path: string;
  readonly kind: "text" | "list" | "object";
  /** The size of the value before it was cut, in bytes of JSON. */
  readonly bytes: number;
  /** How much is shown, in characters, items or members. */
  readonly shown: number;
  readonly of: number;
}

/** A hook that listened to the event of a moment: its answer, or why it gave none. */
export interface HookAsked {
  readonly id: string;
  readonly lane: string;
  /** The hook's `file:line`. */
  readonly source: string;
  readonly pass: 1 | 2;
  /** `asked`: the hook answered nothing, and its time is not known. */
  readonly status: "answered" | "no-answer" | "failed" | "timed-out" | "skipped" | "not-reached" | "asked";
  readonly ms?: number;
  /** The answer in the form of the hook's dialect. */
  readonly answer?: unknown;
  readonly problem?: string;
  readonly stderr?: unknown;
  /** SHA-256 of the file that defines the hook. */
  readonly hash?: string;
  /** The filter that skipped the hook. */
  readonly filter?: string;
  /** The hook was asked, but its answer did not count. */
  readonly shadow?: true;
  /** The effect that the answer of a hook in shadow would have had. */
  readonly would?: Exclude<MomentDecision, "allow">;
  /** Why the hook did not run, in words; absent if it ran. */
  readonly why?: string;
}

/** A change of a field, and the hook that made it. */
export interface EditMade {
  readonly hook: string;
  readonly lane: string;
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly pass: 1 | 2;
}

/** The answer to `moments/N`: everything that is known about a moment; at most 8 MiB. */
export interface Moment {
  readonly v: 1;
  readonly item: MomentItem;
  /** The number of the moment's line in the file, from 1; absent if it was not read from a file. */
  readonly line?: number;
  readonly moment: {
    readonly t: number;
    readonly event: string;
    readonly turn?: number;
    /** Hash of the guarded tool call as hooks last judged it. A changed call has another hash. */
    readonly call?: string;
    readonly scene: {
      readonly cwd?: string;
      readonly session?: string;
      readonly agent?: string;
      readonly model?: string;
      readonly context?: string;
    };
    /** The payload as the host passed it, before hooks changed anything; absent if the source does not keep it. */
    readonly payload?: unknown;
    /** The hooks that listen to the event, in order; a guard that was asked again about the final call occurs twice. */
    readonly hooks: readonly HookAsked[];
    readonly edits: readonly EditMade[];
    /** The hooks' answers combined. */
    readonly outcome: Readonly<Record<string, unknown>>;
    /** The answer of a person, or of a hook instead of a person; absent if nobody was asked. */
    readonly asked?: { readonly answer: "allow" | "deny"; readonly by: string };
    /** Paths of values that are shown as the last redacting hook left them, such as `payload.text`. */
    readonly redacted?: readonly string[];
    readonly diagnostics?: readonly { readonly code: string; readonly message: string }[];
    readonly ms: number;
  };
  /** Values of which only the beginning is here. */
  readonly cut: readonly Cut[];
  /** Sentences about what the source does not keep: "payloads were not recorded: …". */
  readonly missing: readonly string[];
  /** The moments of the same tool call in order, with this one. */
  readonly related: readonly MomentItem[];
}

/** The answer to `moments/N?full=PATH`: a whole value, in pieces of at most 8 MiB. */
export interface FullValue {
  readonly v: 1;
  readonly path: string;
  /** A piece of a text, or of another value as JSON. */
  readonly text: string;
  readonly kind: "text" | "json";
  readonly from: number;
  /** The character at which the next piece begins; absent in the last piece. */
  readonly next?: number;
}

/** The counts and times of one hook over the whole source. Times are in ms, and absent if unknown. */
export interface HookRow {
  readonly id: string;
  readonly lane: string;
  readonly source: string;
  readonly events: Readonly<Record<string, number>>;
  readonly asked: number;
  readonly answered: number;
  readonly refused: number;
  readonly edited: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly skipped: number;
  readonly shadow: boolean;
  /** How often the hook's answers in shadow would have refused, asked or changed something. */
  readonly would?: { readonly deny: number; readonly ask: number; readonly edit: number };
  readonly p50?: number;
  readonly p99?: number;
  /** The sum of the hook's times, without times in shadow, because nothing waits for a hook in shadow. */
  readonly totalMs: number;
  /** The total time as a share of the time from the first to the last moment, 0 to 1. */
  readonly share: number;
}

/** The answer to `hooks`: a row of counts and times for each hook of the source. */
export interface Hooks {
  readonly v: 1;
  readonly partial: boolean;
  readonly hooks: readonly HookRow[];
}

/** A line of `live`. Lines come as the source grows; an empty line after 15 s only keeps the connection open. */
export type LiveLine =
  /** New moments, in order; `total` is the number of all moments of the source. */
  | { readonly kind: "moments"; readonly total: number; readonly items: readonly MomentItem[] }
  /** A moment that was sent earlier has changed: a person, or a hook in shadow, has answered. */
  | { readonly kind: "changed"; readonly item: MomentItem }
  /**
   * Whether a process still writes the source. After `false` the stream stays open, since a session may be continued.
   */
  | { readonly kind: "state"; readonly live: boolean; readonly moments: number; readonly damaged: number }
  /** The file was removed or began anew: request everything again. */
  | { readonly kind: "gone" };
