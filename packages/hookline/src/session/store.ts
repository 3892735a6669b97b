import { chmodSync, constants, copyFileSync, lstatSync } from "node:fs";
import { encodeLine, randomUuid, replaceFile } from "@hookline/ground/system";
import type { Damage } from "./damage.ts";
import { roleOf, type SessionEntry } from "./entry.ts";
import { type Disk, SessionFile, systemDisk } from "./file.ts";
import type { SessionHeader } from "./header.ts";
import { History } from "./history.ts";
import { newEntryId } from "./id.ts";
import type { LoadedSession } from "./load.ts";
import { failing, type StorageReport } from "./storage.ts";

/** Options of storing a session. */
export interface StoreOptions {
  /** Writes from the first entry on, instead of the first prompt. */
  readonly eager?: boolean;
  /** When lines are synced to disk: at `flush` (default), or each immediately. */
  readonly durability?: "turn" | "entry";
  readonly onStorage?: (report: StorageReport) => void;
  readonly now?: () => number;
  /** The size from which a file is read tail first. */
  readonly tailFirstBytes?: number;
  readonly disk?: Disk;
}

/** A store's initial content: nothing, entries to store, or a file's content. */
export interface StoreStart {
  readonly header: SessionHeader;
  /** Undefined keeps the session in memory only. */
  readonly path?: string | undefined;
  readonly entries?: readonly SessionEntry[];
  readonly loaded?: LoadedSession;
  /** The file exists but has no header yet. */
  readonly empty?: boolean;
}

const NO_DAMAGE: Damage = { badLines: 0, torn: false, headerMissing: false };
const BLOCK_BYTES = 1 << 20;

/**
 * One session: its entries in memory and, if it has a file, on disk. Nothing is written before the first message: a
 * person's first prompt is on disk before a model is asked (decision 70). Then everything is written, and each later
 * entry immediately.
 */
export class SessionStore {
  readonly header: SessionHeader;
  readonly path: string | undefined;
  readonly history: History;
  readonly damage: Damage;
  readonly #options: StoreOptions;
  readonly #file: SessionFile | undefined;
  /** Lines that are not written yet; undefined once the file is up to date. */
  #waiting: Buffer[] | undefined;
  #eager: boolean;
  /** A file of an older version that could not be rewritten yet. */
  #outdated: LoadedSession | undefined;
  #outdatedTold = false;
  #flushed = Promise.resolve(true);
  #closed = false;
  #told = false;

  constructor(start: StoreStart, options: StoreOptions) {
    const { header, path, loaded, entries = loaded?.entries ?? [], empty = false } = start;
    this.header = header;
    this.path = path;
    this.damage = loaded?.damage ?? NO_DAMAGE;
    this.#options = options;
    this.#outdated = loaded?.migrated && loaded;
    this.history = new History(entries, loaded?.unread, (error) => this.#report(failing("read", path ?? "", error, 0)));
    this.#eager = empty || options.eager === true;
    if (path === undefined) return;
    this.#file = new SessionFile(path, loaded !== undefined || empty, {
      durability: options.durability ?? "turn",
      onStorage: (report) => this.#report(report),
      disk: options.disk ?? systemDisk,
    });
    if (!loaded) this.#waiting = [encodeLine(header), ...inBlocks(entries.map(encodeLine))];
    if (options.eager || entries.some(isSaid)) this.#begin();
  }

  /** The timestamp of new entries. */
  now(): number {
    return (this.#options.now ?? Date.now)();
  }

  /** An unused entry id; a long one if a short one would require reading the whole file. */
  newId(): string {
    return this.history.knowsIds ? newEntryId((id) => this.history.has(id)) : randomUuid();
  }

  /** How many appends are in memory only because storage fails. */
  get pending(): number {
    return this.#file?.pending ?? 0;
  }

  /**
   * Claims the file for this process and migrates an older format; throws if another process holds it. Otherwise the
   * first append that writes does the same.
   */
  claim(): void {
    this.#file?.claim();
    this.#migrate();
    if (!this.#outdated && !this.#waiting) this.#file?.prepare();
  }

  /** Releases the file again if nothing was written yet. */
  release(): void {
    this.#file?.close();
  }

  /**
   * Adds an entry. Throws for data without JSON, and if another process holds the file; nothing is added then. Failing
   * storage is only reported.
   */
  append(entry: SessionEntry): void {
    if (this.#file) this.#store(this.#file, encodeLine(entry), isSaid(entry));
    this.history.add(entry);
  }

  /**
   * Makes everything that was appended survive a power cut, on the thread pool. It is written when this returns;
   * resolves with false if storage fails.
   */
  flush(): Promise<boolean> {
    const settled = this.#settle();
    if (this.#file) this.#flushed = this.#file.flush().then((isKept) => isKept && settled);
    return this.#flushed;
  }

  /** Resolves as the last flush did. */
  get flushed(): Promise<boolean> {
    return this.#flushed;
  }

  /** Flushes and releases the file; later appends stay in memory only and are reported once. */
  close(): void {
    if (!this.#closed) this.#settle();
    this.#closed = true;
    this.#file?.close();
  }

  #store(file: SessionFile, line: Buffer, isSaid: boolean): void {
    if (this.#closed) {
      this.#tellClosed(file.path);
      return;
    }
    if (this.#outdated) {
      file.claim();
      if (!this.#migrate()) {
        this.#waiting = [...(this.#waiting ?? []), line];
        return;
      }
    }
    if (!this.#waiting) file.append(line);
    else if (this.#eager || isSaid) {
      file.append(...this.#waiting, line);
      this.#waiting = undefined;
    } else this.#waiting.push(line);
  }

  #begin(): void {
    if (!this.#waiting || !this.#file) return;
    this.#file.append(...this.#waiting);
    this.#waiting = undefined;
  }

  /** Migrates a file of an older version; returns false if that failed and must be retried. */
  #migrate(): boolean {
    if (!this.#outdated || this.path === undefined) return true;
    try {
      migrateFile(this.path, this.#outdated);
    } catch (error) {
      if (!this.#outdatedTold) this.#report(failing("migrate", this.path, error, this.#waiting?.length ?? 0));
      this.#outdatedTold = true;
      return false;
    }
    this.#outdated = undefined;
    this.#eager = true;
    return true;
  }

  /** Writes lines that wait for a migration; returns false if they must keep waiting. */
  #settle(): boolean {
    if (!this.#outdated || !this.#waiting) return true;
    if (!this.#migrate()) return false;
    this.#begin();
    return true;
  }

  #tellClosed(path: string): void {
    if (this.#told) return;
    this.#told = true;
    const message = `Session ${this.header.id} is closed; entries added to it now are not written. Use the session that is open.`;
    this.#report({ state: "closed", path, message });
  }

  #report(report: StorageReport): void {
    this.#options.onStorage?.(report);
  }
}

/** Whether an entry is a message of a person or a model. */
function isSaid(entry: SessionEntry): boolean {
  const role = roleOf(entry);
  return role === "user" || role === "assistant";
}

function inBlocks(lines: readonly Buffer[]): Buffer[] {
  const blocks: Buffer[][] = [];
  let size = BLOCK_BYTES;
  for (const line of lines) {
    if (size + line.length > BLOCK_BYTES) {
      blocks.push([]);
      size = 0;
    }
    blocks.at(-1)?.push(line);
    size += line.length;
  }
  return blocks.map((block) => Buffer.concat(block));
}

/**
 * Rewrites a whole session file of an older version; throws file system errors and then leaves the file unchanged. If
 * the file is damaged, the old one is kept as `<file>.v<version>.bak`, since unreadable parts are not carried over.
 */
function migrateFile(path: string, { migrated, damage }: LoadedSession): void {
  if (!migrated) return;
  if (damage.badLines > 0 || damage.torn) keep(path, `${path}.v${migrated.version}.bak`);
  replaceFile(path, migrated.lines);
}

function keep(path: string, copy: string): void {
  try {
    copyFileSync(path, copy, constants.COPYFILE_EXCL);
  } catch (error) {
    // An earlier attempt that failed later has already created it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !lstatSync(copy).isFile()) throw error;
  }
  chmodSync(copy, 0o600);
}
