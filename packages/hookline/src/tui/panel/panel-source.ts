import type { LoadReport } from "@hookline/runtime";
import type { InBackground, ItemKind } from "@hookline/runtime/internal";
import type { ActivityLog } from "./activity-log.ts";
import type { PageLine } from "./page.ts";

/** Counters of one hook of the session. Times in ms. */
export interface HookNumbers {
  readonly id: string;
  readonly lane: string;
  readonly source: string;
  readonly event: string;
  readonly runs: number;
  readonly ok: number;
  readonly failed: number;
  readonly skipped: number;
  readonly avgMs: number;
  readonly p95Ms: number;
  readonly totalMs: number;
  readonly lastError: string | undefined;
}

/** One definition that a person may be asked about. */
export interface TrustItem {
  readonly path: string;
  readonly line: number | undefined;
  readonly kind: ItemKind;
  readonly dialect: string;
  readonly verdict: "approved" | "changed" | "pending";
  /** Everything that would run, or what changed in it; every character without a glyph is a mark. */
  text(): readonly PageLine[];
  /** The folder to bind an approval to, where the bytes shown do not say all that runs. */
  readonly bindable: string | undefined;
  /**
   * Has exactly what `text` shows run from now on; bound, as long as nothing in the folder changes. Rejects with what the
   * person is to be told.
   */
  approve(isBound?: boolean): Promise<void>;
  /** Takes the approval back. Rejects with what the person is to be told. */
  revoke(): Promise<void>;
}

/** The definitions of one file, or of several, which a person reads and answers together or one by one. */
export interface TrustSheet extends TrustItem {
  readonly items: readonly TrustItem[];
}

/** What of a project needs a person's word. */
export interface TrustSource {
  /** A sheet for each file; read anew each time. */
  sheets(): Promise<readonly TrustSheet[]>;
  /** Sheets put together as one. */
  together(sheets: readonly TrustSheet[]): TrustSheet;
}

/** An event that can be explained. */
export interface ExplainableEvent {
  /** A catalog name, or `lane:name` for a lane's own. */
  readonly name: string;
  /** How many hooks listen. */
  readonly hooks: number;
  readonly hasTool: boolean;
}

/** Who would run for an event. */
export interface Explained {
  readonly event: string;
  readonly subject: unknown;
  readonly plan: readonly { readonly dialect: string; readonly source: string; readonly why: string }[];
  readonly others: readonly { readonly source: string; readonly why: string }[];
}

/** Everything that the panel shows, of one session. */
export interface PanelSource {
  readonly activity: ActivityLog;
  readonly trust: TrustSource;
  report(): LoadReport;
  /** What runs in the background now. */
  background(): readonly InBackground[];
  /** Called when something of that begins or is over; gives the undo. */
  onBackground(listener: () => void): () => void;
  /** Loads all hooks anew. Rejects with what the person is to be told. */
  reload(): Promise<void>;
  numbers(): readonly HookNumbers[];
  events(): readonly ExplainableEvent[];
  /** The tools that an event can be about. */
  tools(): readonly string[];
  /** Rejects where there is no sample of such an event. */
  explain(event: string, tool: string): Promise<Explained>;
  /** Whether the hooks of this one's kind run side by side. */
  isParallel(id: string): boolean;
  /** A path, or a text with paths in it, as the person knows them: below the project, or below `~`. */
  path(text: string): string;
}
