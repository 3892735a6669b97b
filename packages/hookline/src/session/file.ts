import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import {
  describeOwner,
  makePrivateDirectory,
  putNew,
  syncDirectory,
  syncDirectoryAside,
  throughTemporary,
} from "@hookline/ground/system";
import { acquireLock, type Lock } from "./lock.ts";
import { repairTail } from "./repair.ts";
import { readFully } from "./scan.ts";
import { failing, type StorageReport, type StorageStep } from "./storage.ts";

/** The system calls that store bytes; a test can replace them with failing ones. */
export interface Disk {
  write(fd: number, bytes: Buffer): number;
  /** Writes a file's bytes to the disk; blocks until that is done. */
  sync(fd: number): void;
  /** Writes a file's bytes to the disk, on the thread pool. */
  syncAside(fd: number): Promise<void>;
  truncate(fd: number, size: number): void;
}

/** Stores bytes with the real system calls. */
export const systemDisk: Disk = {
  write: (fd, bytes) => writeSync(fd, bytes, 0, bytes.length),
  sync: fsyncSync,
  syncAside: promisify(fsync),
  truncate: ftruncateSync,
};

/** Says when lines are synced to disk, and where failures are reported. */
export interface SessionFileOptions {
  /** `turn` syncs to disk at `flush`, `entry` after each line. */
  readonly durability: "turn" | "entry";
  readonly onStorage: (report: StorageReport) => void;
  readonly disk: Disk;
}

/**
 * A session file to which lines are appended, each with one synchronous write.
 *
 * A failure of the storage never throws: the lines wait in memory and are written with the next `append`, `flush` or
 * `close`. A partly written line is cut off again. A new file and its folder are created with the first line, private
 * to their owner. When an existing file is opened, a torn end is repaired.
 */
export class SessionFile {
  readonly path: string;
  readonly #options: SessionFileOptions;
  #lock: Lock | undefined;
  #claimed = false;
  #fd: number | undefined;
  /** Whether the file ends with a whole line. */
  #sound = false;
  #exists: boolean;
  #pending: Buffer[] = [];
  /** The number of lines that were written. `#synced` counts those that would survive a power cut. */
  #written = 0;
  #synced = 0;
  /** The sync that is running on the thread pool. */
  #syncing: Promise<void> | undefined;
  #newName = false;
  #failing: StorageStep | undefined;
  #step: StorageStep = "open";

  /** With `exists`, lines are appended to an existing file. Otherwise a new file is created; none may exist yet. */
  constructor(path: string, exists: boolean, options: SessionFileOptions) {
    this.path = path;
    this.#exists = exists;
    this.#options = options;
  }

  /** The number of lines that wait in memory. */
  get pending(): number {
    return this.#pending.length;
  }

  /**
   * Takes the file's lock, once. Throws if another process holds it. If no lock can be made, continues without one,
   * because each line is a single append anyway.
   */
  claim(): void {
    if (this.#claimed) return;
    try {
      makePrivateDirectory(dirname(this.path));
    } catch {
      return; // Opening the file reports the error.
    }
    const result = acquireLock(this.path);
    if (result.state === "held") {
      throw new Error(
        `Session file ${this.path} is being written by ${describeOwner(result.owner)}. End that one, or fork the session.`,
      );
    }
    this.#claimed = true;
    if (result.state === "locked") this.#lock = result.lock;
  }

  /** Takes the lock and opens an existing file, so that it can be restored after a deletion. Throws like `claim`. */
  prepare(): void {
    this.claim();
    if (!this.#exists || this.#fd !== undefined) return;
    try {
      this.#fd = this.#open();
    } catch {
      // The first append opens the file again, and then reports the error.
    }
  }

  /** Appends lines that end in a line break. Throws only the errors of `claim`, and then stores nothing. */
  append(...lines: readonly Buffer[]): void {
    this.claim();
    this.#pending.push(...lines);
    this.#drain();
    if (this.#options.durability === "entry") this.#syncNow();
  }

  /**
   * Writes pending lines and syncs the file to disk without blocking the process. Resolves with false if lines would
   * still be lost in a power cut. Never rejects.
   */
  async flush(): Promise<boolean> {
    this.#drain();
    const lines = this.#written;
    // A sync that is running already does not cover the lines written since its start.
    if (this.#syncing) await this.#syncing;
    const fd = this.#fd;
    if (this.#synced < lines && fd !== undefined) await (this.#syncing ??= this.#syncAside(fd));
    return this.#pending.length === 0 && this.#synced >= lines;
  }

  /** Writes pending lines, syncs, closes the file and releases its lock. Blocks unless `flush` was awaited before. */
  close(): void {
    this.#drain();
    this.#syncNow();
    this.#closeFile();
    this.#lock?.release();
    this.#lock = undefined;
    this.#claimed = false;
  }

  #drain(): void {
    if (this.#pending.length === 0) return;
    let done = 0;
    try {
      const fd = this.#ready();
      this.#step = "write";
      for (const line of this.#pending) {
        this.#write(fd, line);
        done += 1;
        this.#written += 1;
      }
    } catch (error) {
      this.#pending.splice(0, done);
      this.#failed(this.#step, error);
      return;
    }
    this.#pending = [];
    if (this.#failing !== "sync") this.#recovered();
  }

  /** Opens the file if necessary, repairs its end, and returns its descriptor. */
  #ready(): number {
    this.#step = "open";
    if (this.#fd !== undefined && fstatSync(this.#fd).nlink === 0) this.#restore(this.#fd);
    this.#fd ??= this.#open();
    if (!this.#sound) {
      this.#step = "repair";
      const repair = repairTail(this.#fd, this.path, this.#lock !== undefined);
      this.#sound = true;
      if (repair.done === "set-aside") {
        const { path, bytes } = repair;
        const message = `Session file ${this.path} ended in the middle of a line. Its last ${bytes} bytes are in ${path} now.`;
        this.#options.onStorage({ state: "set-aside", path, bytes, message });
      }
    }
    return this.#fd;
  }

  #open(): number {
    makePrivateDirectory(dirname(this.path));
    const fresh = this.#exists ? 0 : constants.O_CREAT | constants.O_EXCL;
    const fd = openSync(this.path, constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | fresh, 0o600);
    if ((fstatSync(fd).mode & 0o077) !== 0) fchmodSync(fd, 0o600);
    if (!this.#exists) this.#newName = true;
    this.#exists = true;
    return fd;
  }

  #write(fd: number, line: Buffer): void {
    const { disk } = this.#options;
    const { size } = fstatSync(fd);
    try {
      for (let done = 0; done < line.length; ) {
        const count = disk.write(fd, done === 0 ? line : line.subarray(done));
        done += count;
        // A second write tells why the first was short. It needs the lock, or another process may append in between.
        if (done < line.length && (count === 0 || !this.#lock)) throw shortWrite(done, line.length);
      }
    } catch (error) {
      if (fstatSync(fd).size > size) {
        this.#sound = false;
        // Without the lock, the bytes after `size` may be another process's.
        if (this.#lock) {
          disk.truncate(fd, size);
          this.#sound = true;
        }
      }
      throw error;
    }
  }

  #syncNow(): void {
    if (this.#synced === this.#written || this.#fd === undefined) return;
    try {
      this.#options.disk.sync(this.#fd);
      if (this.#newName) syncDirectory(dirname(this.path));
    } catch (error) {
      this.#failed("sync", error);
      return;
    }
    this.#wasSynced(this.#written);
  }

  async #syncAside(fd: number): Promise<void> {
    const lines = this.#written;
    try {
      await this.#options.disk.syncAside(fd);
      if (this.#newName) await syncDirectoryAside(dirname(this.path));
      this.#wasSynced(lines);
    } catch (error) {
      this.#failed("sync", error);
    } finally {
      this.#syncing = undefined;
    }
  }

  #wasSynced(lines: number): void {
    this.#synced = Math.max(this.#synced, lines);
    this.#newName = false;
    if (this.#pending.length === 0) this.#recovered();
  }

  #closeFile(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd === undefined) return;
    // The descriptor number may be reused for another file after closing, so a running sync must end first.
    if (this.#syncing) void this.#syncing.then(() => closeSync(fd));
    else closeSync(fd);
  }

  /** Restores the whole file if it was deleted while it was open. */
  #restore(fd: number): void {
    makePrivateDirectory(dirname(this.path));
    if (existsSync(this.path)) throw replaced(this.path);
    throughTemporary(this.path, (to) => copy(fd, to), putNew);
    this.#closeFile();
    // Whoever deleted the file may have deleted the lock too, so the lock is released and taken again.
    this.#lock?.release();
    this.#lock = undefined;
    this.#claimed = false;
    this.claim();
  }

  #failed(step: StorageStep, error: unknown): void {
    if (this.#failing) return;
    this.#failing = step;
    this.#options.onStorage(failing(step, this.path, error, this.#pending.length));
  }

  #recovered(): void {
    if (!this.#failing) return;
    this.#failing = undefined;
    const message = `Session file ${this.path} can be written again; everything that was kept in memory is in it.`;
    this.#options.onStorage({ state: "recovered", path: this.path, message });
  }
}

function copy(from: number, to: number): void {
  const bytes = Buffer.allocUnsafe(1 << 20);
  for (let position = 0; ; ) {
    const count = readFully(from, bytes, bytes.length, position);
    if (count === 0) return;
    writeFileSync(to, bytes.subarray(0, count));
    position += count;
  }
}

function shortWrite(written: number, length: number): Error {
  return Object.assign(new Error(`EIO: only ${written} of ${length} bytes were written`), { code: "EIO" });
}

function replaced(path: string): Error {
  return Object.assign(new Error(`EEXIST: another file is at ${path} now`), { code: "EEXIST" });
}
