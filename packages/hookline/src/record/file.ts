import { createHash } from "node:crypto";
import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RecordLevel, RecordSink } from "@hookline/runtime";
import { SessionFile, systemDisk } from "../session/file.ts";
import { compressLeft, compressRecording, expandRecording } from "./compress.ts";

/** Returns the file of a session's recording. Ids may come from other programs, so an unusual one is hashed. */
export function recordingPath(folder: string, session: string): string {
  const isPlain = /^\w[\w.-]{0,127}$/.test(session);
  return join(folder, `${isPlain ? session : createHash("sha256").update(session).digest("hex")}.jsonl`);
}

/** Says how much is recorded, and what happens to the file at the end and after a failure. */
export interface RecordingFileOptions {
  readonly level: RecordLevel;
  /** The file in which the session itself is stored, if there is one. */
  readonly sessionFile: string | undefined;
  /** Whether the file is compressed when the session ends. */
  readonly compresses: boolean;
  /** Is called with a message when writing begins to fail, and when a torn last line was moved to another file. */
  failing(problem: string): void;
}

/**
 * A session's recording on disk: private, with one writer, in whole lines. Lines are written before the next turn of
 * the event loop, or immediately by `keep`; while the disk cannot take them they wait, up to a limit.
 */
export class RecordingFile implements RecordSink {
  readonly level: RecordLevel;
  readonly path: string;
  readonly #options: RecordingFileOptions;
  readonly #file: SessionFile;
  readonly #existed: boolean;
  #lines: string[] = [];
  #waiting = 0;
  #timer: NodeJS.Immediate | undefined;

  constructor(path: string, options: RecordingFileOptions) {
    this.level = options.level;
    this.path = path;
    this.#options = options;
    this.#existed = existsSync(path);
    this.#file = new SessionFile(path, this.#existed, {
      durability: "turn",
      disk: systemDisk,
      onStorage: (report) => {
        if (report.state === "failing") options.failing(`${path} cannot be written (${report.code})`);
        if (report.state === "set-aside")
          options.failing(`${path} ended in the middle of a line; that part is now in ${report.path}`);
      },
    });
  }

  /** Returns the byte at which the next line will begin. Throws if another process writes the file. */
  place(): number {
    this.#file.claim();
    if (this.#options.compresses && existsSync(this.path)) expandRecording(this.path);
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(line: string): void {
    if (this.#waiting > MAX_WAITING)
      throw new Error(`${this.path} cannot be written, and too much is waiting to be written`);
    this.#lines.push(line);
    this.#waiting += line.length;
    this.#timer ??= setImmediate(() => this.#drain());
  }

  /** Writes all lines to the file now. Throws if the disk cannot take them. */
  keep(): void {
    this.#drain();
    if (this.#file.pending > 0) throw new Error(`${this.path} cannot be written`);
  }

  async flush(): Promise<void> {
    this.#drain();
    const isKept = await this.#file.flush();
    const { sessionFile, level, compresses } = this.#options;
    this.#file.close();
    // A session without messages leaves no file, so its recording is removed too.
    if (!this.#existed && level !== "log" && sessionFile !== undefined && !existsSync(sessionFile))
      rmSync(this.path, { force: true });
    else if (!isKept) throw new Error(`${this.path} cannot be written`);
    else if (compresses) {
      compressRecording(this.path);
      compressLeft(dirname(this.path));
    }
  }

  #drain(): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    this.#file.append(bytes);
    if (this.#file.pending === 0) this.#waiting = 0;
  }
}

/** The maximum size of lines that wait for the disk, in characters. */
const MAX_WAITING = 64 * 1024 * 1024;
