/**
 * The requests of the inspector's page and their answers, as JSON. Every address begins with `/api/` and needs
 * `Authorization: Bearer TOKEN`; only GET and HEAD. The page of an export asks
 * the same addresses of `globalThis.hooklineExport` instead (`ExportedApi`) and gets the same answers.
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
 * Where something cannot be answered the status is 400 or more and the body an `ApiError`.
 *
 * Everything in an answer that a hook, a model or a tool has said is foreign text: show it as text.
 */

export type { ComparedSide, Comparison, Difference } from "./api-comparison.ts";
export type { Conversation, ConversationPart } from "./api-conversation.ts";
export type { ActEdit, HookAct, Story, StoryStep } from "./api-story.ts";

/** The body of every answer that is none. */
export interface ApiError {
  readonly error: {
    /**
     * `bad-request`, `not-found`, `gone`, `unauthorized`, `forbidden`, `wrong-host`, `wrong-method`, `wrong-type`,
     * `too-large`, `too-many` or `failed`.
     */
    readonly code: string;
    /** For a person: what happened, and what to do. */
    readonly message: string;
  };
}

/** Answers requests in an export, which has no server: `answer("sources/ID/summary")` gives the server's answer. */
export interface ExportedApi {
  /** `path` is what stands behind `/api/`, with its query. Rejects with an `ApiError`. */
  answer(path: string): Promise<unknown>;
}

/** The views of the page. */
export type ViewName = "story" | "timeline" | "moment" | "conversation" | "hooks" | "search" | "replay";

/** Whether a source can fill a view; where it cannot, or not whole, the sentence says what to switch on. */
export interface ViewState {
  readonly state: "full" | "part" | "empty";
  /** Absent for `full`. */
  readonly because?: string;
}

/** The kind of a source: how a recording was made, or which other kind of file it is. */
export type SourceKind =
  | "recording"
  | "trace"
  | "session"
  | "replay"
  /** The running session as `/inspect` shows it: what the panel remembers, and then its recording. */
  | "running";

/** One thing that can be looked at. */
export interface InspectedSource {
  /** Opaque; it means something to this server alone. */
  readonly id: string;
  readonly kind: SourceKind;
  /** The level of a recording. */
  readonly level?: "log" | "decisions" | "all";
  /** The agent of the session, if it is not hookline's own: `pi`, `omp`, `claude`, `codex`. */
  readonly agent?: string;
  /** The machine that sent a fleet's stream. */
  readonly machine?: string;
  /** The title: the session's name or first prompt, else its id. Foreign text. */
  readonly title: string;
  readonly session?: string;
  readonly cwd?: string;
  /** Epoch ms of the last change of the file; of a fleet's stream, when its machine has sealed the last of it. */
  readonly changed: number;
  readonly bytes: number;
  /** Somebody is writing it now. */
  readonly live: boolean;
  /** In `sources`: what hooks did in it; absent where that was not counted yet, or the file does not tell. */
  readonly did?: Did;
}

/** Counts of the hooks' actions in a source. */
export interface Did {
  /** How many hooks answered, failed or timed out at least once. */
  readonly hooks: number;
  /** How many moments have each mark. */
  readonly marks: Readonly<Partial<Record<Mark, number>>>;
}

/** `sources`: those of this folder and the one that was named, or those of a fleet's stream; newest first. */
export interface Sources {
  readonly v: 1;
  /** Version of hookline. */
  readonly hookline: string;
  /** The one to open at once, where one was named. */
  readonly open?: string;
  readonly sources: readonly InspectedSource[];
  /** The fleet whose stream the sources are of. */
  readonly fleet?: string;
  /** The page is an export: there is no live stream, and nothing beside this one source. */
  readonly exported?: true;
}

/** A line that could not be read. */
export interface Damage {
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}

/** `summary`. While `indexed` is less than `bytes`, the index is being made and all counts grow: ask again. */
export interface Summary {
  readonly v: 1;
  readonly source: InspectedSource;
  readonly moments: number;
  /** Epoch ms of the first and the last moment; 0 where nothing is known. */
  readonly from: number;
  readonly to: number;
  readonly live: boolean;
  /** The terminal has left this session, and goes on with the one that this source shows. */
  readonly goneOn?: string;
  readonly indexed: number;
  readonly bytes: number;
  /** Whether the last line says that nothing is missing. */
  readonly whole: boolean;
  /** The last line is cut in the middle, as a writer leaves it that was killed. */
  readonly torn: boolean;
  /** How many lines are damaged, and the first of them. */
  readonly damaged: number;
  readonly damage: readonly Damage[];
  readonly views: Readonly<Record<ViewName, ViewState>>;
  /** Values to filter by, each with its number of moments; most first. */
  readonly events: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  /** By the hook's id. */
  readonly hooks: Readonly<Record<string, number>>;
  readonly decisions: Readonly<Partial<Record<MomentDecision, number>>>;
  readonly did: Did;
  /** The names of events in the hooks' own agent, if all hooks are of one agent. */
  readonly names: Readonly<Record<string, string>>;
}

/** The hooks' answers at a moment combined; absent if nobody answered. */
export type MomentDecision = "allow" | "ask" | "deny" | "edit";

/** The result of a moment, for its colour. */
export type Mark = "answered" | "refused" | "rewrote" | "failed" | "timed-out" | "shadow";

/** A moment as a list or a bar shows it. */
export interface MomentItem {
  /** Which moment of the source it is, from 1; its address. */
  readonly n: number;
  /** Epoch ms at which its hooks had answered. It began `ms` before. */
  readonly t: number;
  readonly ms: number;
  readonly event: string;
  readonly tool?: string;
  /** The sub-agent whose moment it is. */
  readonly agent?: string;
  readonly turn?: number;
  readonly decision?: MomentDecision;
  /** How many hooks were asked. */
  readonly asked: number;
  readonly marks: readonly Mark[];
  /** In `moments`: the command or path of a call, or the text, on one line. Foreign text. */
  readonly label?: string;
  /** In `moments`: the hook that did something, and what: `refused it: not here`. */
  readonly hook?: string;
  /** Its `file:line`. */
  readonly source?: string;
  readonly says?: string;
}

/** The query of `moments`; all parts are optional, and a moment must fit all that are given. */
export interface MomentQuery {
  /** Position in the filtered list, from 0. */
  readonly from?: number;
  /** In place of `from`: the window begins near the moment N, which is in its middle where there is enough. */
  readonly around?: number;
  /** At most 500; 100 where it is left out. */
  readonly count?: number;
  /** Names, separated by commas. `tool.*` means all events that begin so. */
  readonly event?: string;
  /** A hook's id: moments at which it was asked. May be repeated. */
  readonly hook?: string;
  /** Names, separated by commas. */
  readonly tool?: string;
  /** Decisions, `none`, and marks, separated by commas. */
  readonly decision?: string;
  /** Text that stands in the moment: arguments, texts, answers, reasons, errors. Case does not count. */
  readonly q?: string;
  /** Epoch ms: only moments that ended at or after, began at or before. */
  readonly since?: number;
  readonly until?: number;
}

/** `moments`: one window of the list. */
export interface Moments {
  readonly v: 1;
  /** How many fit the query, as far as the source is indexed. */
  readonly total: number;
  /** Position of the first item. */
  readonly from: number;
  /** The index is still being made. */
  readonly partial: boolean;
  readonly items: readonly MomentItem[];
}

/** The query of `timeline`: the filters of `moments`, a span (`since`, `until`; else all), and how many columns. */
export interface TimelineQuery extends Omit<MomentQuery, "from" | "around" | "count"> {
  /** At most 2000; 200 where it is left out. */
  readonly columns?: number;
}

/** One column of a lane that is not empty. */
export interface TimelineCell {
  /** From 0. */
  readonly column: number;
  readonly count: number;
  /** The first moment in it. */
  readonly n: number;
  /** How many moments have each mark; marks that none has are left out. */
  readonly marks: Readonly<Partial<Record<Mark, number>>>;
}

/** `timeline`: how many moments of each lane stand in each column of the span. */
export interface Timeline {
  readonly v: 1;
  readonly since: number;
  readonly until: number;
  readonly columns: number;
  readonly partial: boolean;
  /** A lane is the first word of its events: `prompt`, `model`, `tool`, `session` and so on; in order of appearance. */
  readonly lanes: readonly { readonly lane: string; readonly count: number; readonly cells: readonly TimelineCell[] }[];
}

/** A value of which only the beginning is in the answer. */
export interface Cut {
  /** JSON pointer into `moment`: `/payload/messages/3/content/0/text`. */
  readonly path: string;
  readonly kind: "text" | "list" | "object";
  /** How large the whole is, as JSON. */
  readonly bytes: number;
  /** How much is shown: characters, items or members. */
  readonly shown: number;
  readonly of: number;
}

/** The part of one hook in a moment. */
export interface HookAsked {
  readonly id: string;
  readonly lane: string;
  /** `file:line`. */
  readonly source: string;
  readonly pass: 1 | 2;
  /** `asked`: it said nothing, and how long it took is not known. */
  readonly status: "answered" | "no-answer" | "failed" | "timed-out" | "skipped" | "not-reached" | "asked";
  readonly ms?: number;
  /** In its dialect's own words. */
  readonly answer?: unknown;
  readonly problem?: string;
  readonly stderr?: unknown;
  /** SHA-256 of the file that defines it. */
  readonly hash?: string;
  /** The filter of a hook that was skipped. */
  readonly filter?: string;
  /** It was asked without its answer counting. */
  readonly shadow?: true;
  /** The effect that the answer of a hook in shadow would have had. */
  readonly would?: Exclude<MomentDecision, "allow">;
  /** Why it did not run, in words; present where it did not. */
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

/** `moments/N`: everything that is known of a moment; at most 8 MiB. */
export interface Moment {
  readonly v: 1;
  readonly item: MomentItem;
  /** Line of the file, from 1; absent where it was not read from one. */
  readonly line?: number;
  readonly moment: {
    readonly t: number;
    readonly event: string;
    readonly turn?: number;
    /** Hash of the call as it was judged last. */
    readonly call?: string;
    readonly scene: {
      readonly cwd?: string;
      readonly session?: string;
      readonly agent?: string;
      readonly model?: string;
      readonly context?: string;
    };
    /** As the host had it; absent where the source keeps none. */
    readonly payload?: unknown;
    /** The hooks that were asked, in order, both passes. */
    readonly hooks: readonly HookAsked[];
    readonly edits: readonly EditMade[];
    /** The answers combined. */
    readonly outcome: Readonly<Record<string, unknown>>;
    /** The answer to `ask` of a person, or of a hook in a person's place. */
    readonly asked?: { readonly answer: "allow" | "deny"; readonly by: string };
    /** Paths of values that stand as they left the last redactor, such as `payload.text`. */
    readonly redacted?: readonly string[];
    readonly diagnostics?: readonly { readonly code: string; readonly message: string }[];
    readonly ms: number;
  };
  /** Values of which only the beginning is here. */
  readonly cut: readonly Cut[];
  /** Names the parts that the source does not keep: "payloads were not recorded: …". */
  readonly missing: readonly string[];
  /** Moments of the same tool call, in order, this one among them. */
  readonly related: readonly MomentItem[];
}

/** `moments/N?full=PATH`: one value whole, in pieces of at most 8 MiB. */
export interface FullValue {
  readonly v: 1;
  readonly path: string;
  /** A piece of a text; any other value as its JSON text, in pieces too. */
  readonly text: string;
  readonly kind: "text" | "json";
  readonly from: number;
  /** Where the next piece begins, in characters; absent at the end. */
  readonly next?: number;
}

/** One hook over the whole source. Times in ms; absent where they are not known. */
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
  /** While it was in shadow: how often its answer would have refused, asked or changed something. */
  readonly would?: { readonly deny: number; readonly ask: number; readonly edit: number };
  readonly p50?: number;
  readonly p99?: number;
  /** Without what it took in shadow, for which nothing waits. */
  readonly totalMs: number;
  /** Share of the time from the first to the last moment, 0 to 1. */
  readonly share: number;
}

/** `hooks`. */
export interface Hooks {
  readonly v: 1;
  readonly partial: boolean;
  readonly hooks: readonly HookRow[];
}

/** One line of `live`. Lines come as the source grows; an empty line every 15 s only keeps the connection. */
export type LiveLine =
  /** New moments, in order; `total` counts all of the source. */
  | { readonly kind: "moments"; readonly total: number; readonly items: readonly MomentItem[] }
  /** A moment that was sent before has changed: a person, or a hook in shadow, has answered. */
  | { readonly kind: "changed"; readonly item: MomentItem }
  /** Whether somebody still writes; after `false` the stream stays open, since a session may go on. */
  | { readonly kind: "state"; readonly live: boolean; readonly moments: number; readonly damaged: number }
  /** The file was removed or began anew: ask for everything again. */
  | { readonly kind: "gone" };
