import { type ChainLevel, levelOfChain } from "./chain.ts";
import { type PathSettings, pathTo, settingsOf } from "./context.ts";
import type { SessionEntry } from "./entry.ts";
import { loadHead, type UnreadHead } from "./load.ts";
import { type OutlineEntry, readOutline, readOutlined, settingsUpTo } from "./outline.ts";
import { buildTree, type Label, type SessionTreeNode } from "./tree.ts";

/** The entries on the path to a leaf that a context needs, with the thinking level and model of the whole path. */
export interface ContextPath {
  readonly path: readonly SessionEntry[];
  /** Returns the thinking level and model in effect. Reads the file if only entries before `path` set them. */
  settings(): PathSettings;
}

/**
 * The entries of one session, indexed by id. Adding an entry takes constant time. The unread part of a large file is
 * read on demand: only ids, types and parents where these are enough, otherwise all.
 */
export class History {
  #entries: SessionEntry[] = [];
  #byId = new Map<string, SessionEntry>();
  #labels = new Map<string, Label | undefined>();
  #children: Map<string, SessionEntry[]> | undefined;
  #name: string | undefined;
  #head: UnreadHead | undefined;
  #outline: ReadonlyMap<string, OutlineEntry> | undefined;
  readonly #onUnreadable: (error: unknown) => void;
  readonly #added = new Set<SessionEntry>();

  constructor(entries: readonly SessionEntry[], head?: UnreadHead, onUnreadable: (error: unknown) => void = () => {}) {
    this.#head = head;
    this.#onUnreadable = onUnreadable;
    for (const entry of entries) this.#index(entry);
  }

  /** The number of entries in memory. It grows when an entry is added, and when more of the file is read. */
  get size(): number {
    return this.#entries.length;
  }

  /** Whether all entries are in memory. */
  get complete(): boolean {
    return this.#head === undefined;
  }

  /** Whether `has` can answer for every id without reading the file. */
  get knowsIds(): boolean {
    return this.#head === undefined || this.#outline !== undefined;
  }

  /** The id of the last entry, at which an opened session continues. */
  get lastId(): string | null {
    return this.#entries.at(-1)?.id ?? null;
  }

  add(entry: SessionEntry): void {
    this.#added.add(entry);
    this.#index(entry);
    this.#children?.get(entry.parentId ?? "")?.push(entry);
  }

  /** Whether an entry was added since the session was opened. */
  isAdded(entry: SessionEntry): boolean {
    return this.#added.has(entry);
  }

  has(id: string): boolean {
    return this.#byId.has(id) || (this.#head !== undefined && this.#outlined().has(id));
  }

  get(id: string): SessionEntry | undefined {
    if (!this.#byId.has(id)) this.#complete();
    return this.#byId.get(id);
  }

  entries(): SessionEntry[] {
    this.#complete();
    return [...this.#entries];
  }

  path(leafId: string | null): SessionEntry[] {
    return leafId === null ? [] : pathTo(this.get(leafId), (id) => this.get(id));
  }

  /** Returns the path to a leaf, starting at a root or at the first entry that its last compaction keeps. */
  contextPath(leafId: string | null): ContextPath {
    const path = this.#head && leafId !== null ? this.#keptPath(leafId) : undefined;
    if (!path) {
      const whole = this.path(leafId);
      return { path: whole, settings: () => settingsOf(whole) };
    }
    return { path, settings: () => this.#settings(path) };
  }

  children(parentId: string): SessionEntry[] {
    this.#complete();
    if (!this.#children) {
      this.#children = new Map([...this.#byId.keys()].map((id) => [id, []]));
      for (const entry of this.#byId.values()) this.#children.get(entry.parentId ?? "")?.push(entry);
    }
    return [...(this.#children.get(parentId) ?? [])];
  }

  label(id: string): string | undefined {
    if (!this.#labels.has(id)) this.#complete();
    return this.#labels.get(id)?.label;
  }

  /** Returns the current labels, in the order in which they were first set. */
  labels(): Map<string, Label> {
    this.#complete();
    return new Map([...this.#labels].filter((pair): pair is [string, Label] => pair[1] !== undefined));
  }

  /** Returns the name that was set last; empty if it was removed, undefined if none was ever set. */
  name(): string | undefined {
    if (this.#name === undefined && this.#head) {
      const { path } = this.#head;
      const last = [...this.#outlined().values()].findLast((entry) => entry.type === "session_info");
      const entry = last && readOutlined(path, last);
      this.#name = entry?.type === "session_info" ? (entry.name ?? "") : undefined;
    }
    return this.#name;
  }

  tree(): SessionTreeNode[] {
    const labels = this.labels();
    return buildTree([...this.#byId.values()], labels);
  }

  #index(entry: SessionEntry): void {
    this.#entries.push(entry);
    if (this.#children && !this.#byId.has(entry.id)) this.#children.set(entry.id, []);
    this.#byId.set(entry.id, entry);
    if (entry.type === "session_info") this.#name = entry.name ?? "";
    if (entry.type === "label") {
      // A label that is set again keeps its place, unless it was removed in between.
      if (!entry.label || !this.#labels.get(entry.targetId)) this.#labels.delete(entry.targetId);
      this.#labels.set(entry.targetId, entry.label ? { label: entry.label, timestamp: entry.timestamp } : undefined);
    }
  }

  #keptPath(leafId: string): SessionEntry[] | undefined {
    const path: SessionEntry[] = [];
    const walked = new Set<string>();
    let kept: string | undefined;
    for (let id: string | null = leafId; id && !walked.has(id); ) {
      const entry = this.#byId.get(id);
      if (!entry) return undefined;
      walked.add(id);
      path.push(entry);
      if (kept === undefined && entry.type === "compaction") kept = entry.firstKeptEntryId;
      if (kept === entry.id) break;
      id = entry.parentId;
    }
    return path.reverse();
  }

  #settings(path: readonly SessionEntry[]): PathSettings {
    const known = settingsOf(path);
    const [first] = path;
    if ((known.thinkingLevel !== undefined && known.model) || !first?.parentId) return known;
    if (!this.#head || this.#byId.has(first.parentId)) return settingsOf(this.path(path.at(-1)?.id ?? null));
    const chain = known.model && this.#outline === undefined ? this.#chainLevel(first.parentId) : undefined;
    if (chain !== undefined) return { ...known, ...chain };
    return settingsUpTo(first.parentId, this.#head.path, this.#outlined(), known);
  }

  #chainLevel(lastId: string): ChainLevel | undefined {
    try {
      return levelOfChain(this.#head as UnreadHead, lastId);
    } catch {
      // The next read of the file reports the error.
      return undefined;
    }
  }

  #outlined(): ReadonlyMap<string, OutlineEntry> {
    this.#outline ??= this.#head ? this.#reading(() => readOutline(this.#head as UnreadHead), new Map()) : new Map();
    return this.#outline;
  }

  #complete(): void {
    const head = this.#head;
    if (!head) return;
    this.#head = undefined;
    this.#outline = undefined;
    const tail = this.#entries;
    const { entries } = this.#reading(() => loadHead(head), { entries: [], badLines: 0 });
    this.#entries = [];
    this.#byId = new Map();
    this.#labels = new Map();
    for (const entry of entries) this.#index(entry);
    for (const entry of tail) this.#index(entry);
  }

  #reading<T>(read: () => T, otherwise: T): T {
    try {
      return read();
    } catch (error) {
      this.#onUnreadable(error);
      return otherwise;
    }
  }
}
