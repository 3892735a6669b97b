import { join, resolve } from "node:path";
import type { Message } from "@hookline/runtime";
import type { Content, Usage } from "@hookline/runtime/engine";
import { ownCopy, type SessionContext, type SessionProjection, withSettingsOf } from "./context.ts";
import type { Damage } from "./damage.ts";
import { sessionDirectory } from "./directory.ts";
import type { ContextEditEntry, SessionEntry, UsageEntry } from "./entry.ts";
import { checkEdit, type EntryFields, makeEntry, present } from "./fields.ts";
import { readHeader, sessionFiles } from "./find.ts";
import { forkedPath } from "./fork.ts";
import { forkFile } from "./fork-file.ts";
import { fileName, newHeader, type SessionHeader } from "./header.ts";
import { chosenId, newEntryId, newSessionId } from "./id.ts";
import { LeafProjection } from "./leaf-projection.ts";
import { listAllSessions, listSessions, type SessionInfo } from "./list.ts";
import {
  type OpenResult,
  type OpenStore,
  openedStore,
  openStore,
  type SessionPlace,
  type SessionRequest,
} from "./open.ts";
import { SessionStore, type StoreOptions } from "./store.ts";
import type { SessionTreeNode } from "./tree.ts";

/** The id of a new session, and the session file that it was forked from. */
export interface NewSessionOptions {
  readonly id?: string;
  readonly parentSession?: string;
}

/** Messages that are stored as entries of type `message`. Summaries have their own entry types. */
export type StorableMessage = Exclude<Message, { role: "branchSummary" | "compactionSummary" }>;

type Progress = (loaded: number, total: number) => void;

/**
 * Opens a session for the agent: finds, reads and locks it for this process. Every failure is returned, so that the
 * caller can name the process that holds the session or offer a fork.
 */
export function openSession(
  request: SessionRequest,
  place: SessionPlace,
  options: StoreOptions = {},
): OpenResult<SessionManager> {
  const result = openStore(request, place, options);
  return result.state === "open" ? { ...result, session: new SessionManager(result.session, options) } : result;
}

/**
 * A session for the agent and its extensions: a tree of entries, and the leaf to which the next entry is added. The
 * members are those of pi's class of this name (spec/pi.md 2.2, 6); their errors have pi's texts.
 */
export class SessionManager {
  #store: SessionStore;
  #cwd: string;
  #sessionDir: string;
  #leafId: string | null;
  readonly #projection = new LeafProjection();
  readonly #options: StoreOptions;

  constructor(opened: OpenStore, options: StoreOptions = {}) {
    this.#store = opened.store;
    this.#cwd = opened.cwd;
    this.#sessionDir = opened.sessionDir;
    this.#leafId = opened.store.history.lastId;
    this.#options = options;
  }

  /** Makes a new session. Its file is created with the first prompt. */
  static create(cwd: string, sessionDir?: string, options: NewSessionOptions = {}, storing: StoreOptions = {}) {
    return SessionManager.#open({ kind: "new", ...options }, at(cwd, sessionDir), storing);
  }

  /** Opens the session in a file. The first append takes the lock, and throws if another process holds it. */
  static open(path: string, sessionDir?: string, cwdOverride?: string, storing: StoreOptions = {}) {
    const request = { kind: "file", path, ...(cwdOverride !== undefined && { cwd: cwdOverride }) } as const;
    return SessionManager.#open(request, at(cwdOverride ?? process.cwd(), sessionDir), storing);
  }

  /** Opens the most recently written session of a working directory, or a new one. */
  static continueRecent(cwd: string, sessionDir?: string, storing: StoreOptions = {}) {
    return SessionManager.#open({ kind: "recent" }, at(cwd, sessionDir), storing);
  }

  /** Makes a session without a file. */
  static inMemory(cwd = process.cwd(), options: NewSessionOptions = {}, entries: readonly SessionEntry[] = []) {
    return SessionManager.#open({ kind: "memory", ...options, entries }, { cwd }, {});
  }

  /** Makes a new session for another working directory that starts with all entries of a file. */
  static forkFrom(sourcePath: string, targetCwd: string, sessionDir?: string, options: NewSessionOptions = {}) {
    const cwd = resolve(targetCwd);
    const folder = sessionDir ?? sessionDirectory(cwd);
    const id = chosenId(options.id);
    return SessionManager.open(forkFile(sourcePath, { cwd, sessionDir: folder, id, now: Date.now() }), sessionDir);
  }

  /** Returns the file of the session with an id; undefined if the working directory has none. */
  static findById(cwd: string, id: string, sessionDir = sessionDirectory(cwd)): string | undefined {
    return sessionFiles(sessionDir).find(({ path }) => readHeader(path)?.id === id)?.path;
  }

  static list(cwd: string, sessionDir?: string, onProgress?: Progress, signal?: AbortSignal): Promise<SessionInfo[]> {
    return listSessions(at(cwd, sessionDir), { ...(onProgress && { onProgress }), ...(signal && { signal }) });
  }

  /**
   * Lists the sessions of all working directories, or of a folder if that is the first argument. pi accepts the other
   * arguments in any order.
   */
  static listAll(...given: readonly (string | Progress | AbortSignal | undefined)[]): Promise<SessionInfo[]> {
    const [sessionDir] = given;
    const onProgress = given.find((value) => typeof value === "function");
    const signal = given.find((value) => typeof value === "object");
    const options = { ...(onProgress && { onProgress }), ...(signal && { signal }) };
    return listAllSessions(typeof sessionDir === "string" ? { sessionDir } : {}, options);
  }

  static #open(request: SessionRequest, place: SessionPlace, storing: StoreOptions): SessionManager {
    return new SessionManager(openedStore(request, place, storing), storing);
  }

  getCwd(): string {
    return this.#cwd;
  }

  getSessionDir(): string {
    return this.#sessionDir;
  }

  usesDefaultSessionDir(): boolean {
    return this.#sessionDir === sessionDirectory(this.#cwd);
  }

  getSessionId(): string {
    return this.#store.header.id;
  }

  /** Returns the path of the session's file, which may not exist yet; undefined in memory. */
  getSessionFile(): string | undefined {
    return this.#store.path;
  }

  isPersisted(): boolean {
    return this.#store.path !== undefined;
  }

  getHeader(): SessionHeader {
    return this.#store.header;
  }

  /** Returns the name that was set last; undefined after an empty one. */
  getSessionName(): string | undefined {
    return this.#store.history.name()?.trim() || undefined;
  }

  /** Returns the damage in the part of the file that has been read. */
  getDamage(): Damage {
    return this.#store.damage;
  }

  getLeafId(): string | null {
    return this.#leafId;
  }

  getLeafEntry(): SessionEntry | undefined {
    return this.#leafId === null ? undefined : this.getEntry(this.#leafId);
  }

  getEntry(id: string): SessionEntry | undefined {
    return this.#store.history.get(id);
  }

  /** Whether an entry was added since the session was opened. */
  isAdded(entry: SessionEntry): boolean {
    return this.#store.history.isAdded(entry);
  }

  getLabel(id: string): string | undefined {
    return this.#store.history.label(id);
  }

  getChildren(parentId: string): SessionEntry[] {
    return this.#store.history.children(parentId);
  }

  /** Returns the entries from a root to an entry, by default the leaf. */
  getBranch(fromId?: string): SessionEntry[] {
    return this.#store.history.path(fromId ?? this.#leafId);
  }

  /** Returns all entries in file order, in a new array. */
  getEntries(): SessionEntry[] {
    return this.#store.history.entries();
  }

  getEntryCount(): number {
    return this.getEntries().length;
  }

  getTree(): SessionTreeNode[] {
    return this.#store.history.tree();
  }

  buildContextEntries(): SessionEntry[] {
    return this.buildSessionProjection().entries.map(({ sourceEntry }) => sourceEntry);
  }

  /** Builds the content of the next request. Thinking level and model are read from the file on demand if necessary. */
  buildSessionContext(): SessionContext {
    const projection = this.sharedProjection();
    return withSettingsOf(projection, { messages: [...projection.messages] });
  }

  /** Returns the thinking level that was chosen last on the path to the leaf; undefined if none was. */
  recordedThinkingLevel(): string | undefined {
    return this.#store.history.contextPath(this.#leafId).settings().thinkingLevel;
  }

  buildSessionProjection(): SessionProjection {
    return ownCopy(this.sharedProjection());
  }

  /** Returns the content of the leaf's next request without copying it. Callers must neither change nor keep it. */
  sharedProjection(): SessionProjection {
    return this.#projection.of(this.#store.history, this.#leafId);
  }

  /** Adds an entry of any type as the new leaf and returns it. */
  append(fields: EntryFields): SessionEntry {
    return this.#append(fields, this.#leafId);
  }

  appendMessage(message: StorableMessage): string {
    return this.append({ type: "message", message }).id;
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.append({ type: "model_change", provider, modelId }).id;
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.append({ type: "thinking_level_change", thinkingLevel }).id;
  }

  /** Adds a compaction. If `firstKeptEntryId` is null, no earlier entry is kept. */
  appendCompaction(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    const id = this.#store.newId();
    const optional = present({ details, usage, fromHook });
    const fields = {
      type: "compaction",
      summary,
      firstKeptEntryId: firstKeptEntryId ?? id,
      tokensBefore,
      ...optional,
    } as const;
    return this.#append(fields, this.#leafId, id).id;
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.append({ type: "custom", customType, ...present({ data }) }).id;
  }

  appendCustomMessageEntry(
    customType: string,
    content: string | readonly Content[],
    display: boolean,
    details?: unknown,
  ): string {
    return this.append({ type: "custom_message", customType, content, display, ...present({ details }) }).id;
  }

  /** Sets a bookmark on an entry. An empty or undefined label removes it. */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.#require(targetId);
    return this.append({ type: "label", targetId, ...present({ label }) }).id;
  }

  /** Names the session; line breaks become spaces. */
  appendSessionInfo(name: string): string {
    return this.append({ type: "session_info", name: name.replace(/[\r\n]+/g, " ").trim() }).id;
  }

  appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): UsageEntry {
    return this.append({ type: "usage", kind, provider, model, usage, ...(note && { note }) }) as UsageEntry;
  }

  /** Changes what models see of an earlier message in this branch; null removes the message. */
  appendContextEdit(targetId: string, replacement: ContextEditEntry["replacement"]): string {
    this.#require(targetId);
    const { path } = this.#store.history.contextPath(this.#leafId);
    checkEdit(targetId, replacement, path.some(({ id }) => id === targetId) ? path : this.getBranch());
    return this.append({ type: "context_edit", targetId, replacement }).id;
  }

  /** Removes an entry's messages from the context, even messages that cannot be edited. */
  appendRemoval(targetId: string): string {
    this.#require(targetId);
    return this.append({ type: "context_edit", targetId, replacement: null }).id;
  }

  /** Moves the leaf to an entry, so that the next entry starts a branch there. The move itself is not stored. */
  branch(branchFromId: string): void {
    this.#require(branchFromId);
    this.#leafId = branchFromId;
  }

  /** Moves the leaf to before the first entry. The next entry becomes a second root. */
  resetLeaf(): void {
    this.#leafId = null;
  }

  /** Moves the leaf and adds a summary of the branch that is left. A null id means before the first entry. */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    if (branchFromId !== null) this.#require(branchFromId);
    const fields = {
      type: "branch_summary",
      fromId: this.#leafId ?? "root",
      summary,
      ...present({ details, usage, fromHook }),
    } as const;
    return this.#append(fields, branchFromId).id;
  }

  /** Turns this object into a new session in the same folder; returns its file. */
  newSession(options: NewSessionOptions = {}): string | undefined {
    return this.#become(chosenId(options.id), options.parentSession);
  }

  /** Turns this object into the session in a file. */
  setSessionFile(sessionFile: string): void {
    const place = { cwd: this.#cwd, sessionDir: this.#sessionDir };
    const { store, cwd } = openedStore({ kind: "file", path: sessionFile }, place, this.#options);
    this.#replace(store);
    this.#cwd = cwd;
  }

  /**
   * Turns this object into a new session with only the path to an entry; returns its file. The file is created
   * immediately if the path has a prompt or a reply.
   */
  createBranchedSession(leafId: string): string | undefined {
    const { history } = this.#store;
    const path = history.path(leafId);
    if (path.length === 0) throw new Error(`Entry ${leafId} not found`);
    return this.#become(newSessionId(), this.#store.path, forkedPath(path, history.labels(), newEntryId));
  }

  /**
   * Syncs all appended entries to disk without blocking the process. The entries are already written when this returns.
   * Resolves with false if the storage fails.
   */
  flush(): Promise<boolean> {
    return this.#store.flush();
  }

  /** The promise of the last `flush`. Irreversible actions such as tool calls must wait for it (guarantee R45). */
  get flushed(): Promise<boolean> {
    return this.#store.flushed;
  }

  /** Flushes, closes the file and releases its lock. Blocks unless `flush` was awaited before. */
  close(): void {
    this.#store.close();
  }

  #append(fields: EntryFields, parentId: string | null, id: string = this.#store.newId()): SessionEntry {
    const timestamp = new Date(this.#store.now()).toISOString();
    const entry = makeEntry(fields, { id, parentId, timestamp });
    this.#store.append(entry);
    this.#projection.grow(this.#store.history, entry);
    this.#leafId = id;
    return entry;
  }

  #require(id: string): void {
    if (!this.#store.history.has(id)) throw new Error(`Entry ${id} not found`);
  }

  #become(id: string, parentSession?: string, entries: readonly SessionEntry[] = []): string | undefined {
    const header = newHeader({ id, now: this.#store.now(), cwd: this.#cwd, parentSession });
    const path = this.isPersisted() ? join(this.#sessionDir, fileName(header)) : undefined;
    this.#replace(new SessionStore({ header, path, entries }, this.#options));
    return path;
  }

  #replace(store: SessionStore): void {
    this.#store.close();
    this.#store = store;
    this.#leafId = store.history.lastId;
  }
}

function at(cwd: string, sessionDir: string | undefined): SessionPlace {
  return { cwd, ...(sessionDir !== undefined && { sessionDir }) };
}
