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

/** Says when and how the lines of a session are stored. */
export interface StoreOptions {
  /** Whether to write from the first entry on, instead of the first prompt. */
  readonly eager?: boolean;
  /** `turn` (default) syncs lines to disk at `flush`, `entry` immediately. */
  readonly durability?: "turn" | "entry";
  readonly onStorage?: (report: StorageReport) => void;
  readonly now?: () => number;
  /** The file size, in bytes, from which only the end of a file is read at first. */
  readonly tailFirstBytes?: number;
  readonly disk?: Disk;
}

/** The initial content of a store: nothing, entries to store, or the content of a file. */
export interface StoreStart {
  readonly header: SessionHeader;
  /** The path of the file; undefined for a session in memory. */
  readonly path?: string | undefined;
  readonly entries?: readonly SessionEntry[];
  readonly loaded?: LoadedSession;
  /** Whether the file exists but has no header yet. */
  readonly empty?: boolean;
}

const NO_DAMAGE: Damage = { badLines: 0, torn: false, headerMissing: false };
const BLOCK_BYTES = 1 << 20;

/**
 * One session: its entries in memory and, if it has a file, on disk. Nothing is written before the first message, so
 * that a session without a prompt leaves no file. The person's first prompt is on disk before a model is asked
 * (ruling 70). From then on each entry is written immediately.
 */
export class SessionStore {
  readonly header: SessionHeader;
  readonly path: string | undefined;
  readonly history: History;
  readonly damage: Damage;
  readonly #options: StoreOptions;
  readonly #file: SessionFile | undefined;
  /** Lines that are not written yet; undefined once all lines are in the file. */
  #waiting: Buffer[] | undefined;
  #eager: boolean;
  /** The content of a file of an older version that could not be rewritten yet. */
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

  /** Returns the time for new entries, in ms since 1970. */
  now(): number {
    return (this.#options.now ?? Date.now)();
  }

  /** Makes an unused entry id. Makes a UUID if checking short ids would mean reading the whole file. */
  newId(): string {
    return this.history.knowsIds ? newEntryId((id) => this.history.has(id)) : randomUuid();
  }

  /** The number of entries that could not be written because the storage fails. */
  get pending(): number {
    return this.#file?.pending ?? 0;
  }

  /**
   * Locks the file for this process and migrates an older format. Throws if another process holds the file. Without
   * this call, the first append that writes does the same.
   */
  claim(): void {
    this.#file?.claim();
    this.#migrate();
    if (!this.#outdated && !this.#waiting) this.#file?.prepare();
  }

  /** Closes the file and releases its lock. The next append that writes takes the lock again. */
  release(): void {
    this.#file?.close();
  }

  /**
   * Adds an entry. A failure of the storage is only reported. Throws if the entry cannot be JSON or another process
   * holds the file; then nothing is added.
   */
  append(entry: SessionEntry): void {
    if (this.#file) this.#store(this.#file, encodeLine(entry), isSaid(entry));
    this.history.add(entry);
  }

  /** Syncs all appended entries, which are already written, to disk. Resolves with false if the storage fails. */
  flush(): Promise<boolean> {
    const settled = this.#settle();
    if (this.#file) this.#flushed = this.#file.flush().then((isKept) => isKept && settled);
    return this.#flushed;
  }

  /** The promise of the last `flush`. */
  get flushed(): Promise<boolean> {
    return this.#flushed;
  }

  /** Flushes and closes the file. Later appends stay in memory, which is reported once. */
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

  /** Rewrites a file of an older version. Returns false if that failed and must be tried again. */
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

  /** Writes the lines that wait for a migration. Returns false if they must keep waiting. */
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
 * Rewrites a whole session file of an older version. Throws file system errors and then leaves the file unchanged. A
 * damaged old file is kept as `<file>.v<version>.bak`, because unreadable parts are not copied.
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
    // The copy exists already if an earlier attempt made it and failed later.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !lstatSync(copy).isFile()) throw error;
  }
  chmodSync(copy, 0o600);
}
