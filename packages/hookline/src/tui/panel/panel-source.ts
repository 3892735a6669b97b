import type { Position } from "@hookline/ground";
import type { InBackground, ItemKind } from "@hookline/runtime/engine";
import type { LoadReport } from "@hookline/runtime/session";
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
  /** Counts for a hook in shadow: `in shadow: asked 5, would have refused 1; failed 0`; absent if it never was. */
  readonly shadow?: string;
  /** The hook's runs in other agents, which ask it through the bridge, as a short text; absent if there were none. */
  readonly elsewhere?: string;
}

/** One definition that a person can approve or revoke, such as a hook or a skill of the project. */
export interface TrustItem extends Position {
  readonly kind: ItemKind;
  readonly dialect: string;
  readonly verdict: "approved" | "changed" | "pending";
  /** Returns everything that would run, or what changed in it; invisible characters are shown as marks. */
  text(): readonly PageLine[];
  /** Files and folders that an approval must also cover to cover everything that would run; undefined if none. */
  readonly bindable: string | undefined;
  /**
   * Approves exactly what `text` shows. With `isBound`, also approves the files and folders in `bindable`; the approval
   * then ends when one of them changes. If approving fails, rejects with an error to show to the person.
   */
  approve(isBound?: boolean): Promise<void>;
  /** Revokes the approval. If that fails, rejects with an error to show to the person. */
  revoke(): Promise<void>;
}

/** Definitions of one or more files, which a person reviews together as one sheet, or one by one. */
export interface TrustSheet extends TrustItem {
  readonly items: readonly TrustItem[];
}

/** The definitions of a project that need a person's decision. */
export interface TrustSource {
  /** Returns for each file a sheet with its definitions; reads the files again each time. */
  sheets(): Promise<readonly TrustSheet[]>;
  /** Combines the definitions of several sheets into one sheet, so that one answer decides about all of them. */
  together(sheets: readonly TrustSheet[]): TrustSheet;
}

/** An event whose hooks the panel can list in the order in which they would run. */
export interface ExplainableEvent {
  /** A catalog name, or `lane:name` for an event that only one lane has. */
  readonly name: string;
  /** The number of hooks that listen to the event. */
  readonly hooks: number;
  readonly hasTool: boolean;
}

/** The hooks that would run for an event, and why others would not. */
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
  /** Returns the hooks that are running now, the longest-running first. */
  running(): readonly InBackground[];
  /** Returns the hooks that are running in the background now. */
  background(): readonly InBackground[];
  /** Calls the listener when a background hook starts or ends; returns a function that removes it. */
  onBackground(listener: () => void): () => void;
  /** Reloads all hooks. If that fails, rejects with an error to show to the person. */
  reload(): Promise<void>;
  numbers(): readonly HookNumbers[];
  events(): readonly ExplainableEvent[];
  /** Returns the names of tools. The person chooses one of them, for which `explain` lists the hooks. */
  tools(): readonly string[];
  /** Returns which hooks would run for an event and a tool. Rejects if there is no sample payload of the event. */
  explain(event: string, tool: string): Promise<Explained>;
  /** Whether the hook with this id runs in parallel with others of its lane and event. */
  isParallel(id: string): boolean;
  /** Shortens the paths in a text for display: relative to the working folder, or beginning with `~`. */
  path(text: string): string;
}
