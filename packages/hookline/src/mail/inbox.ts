import { readdirSync, statSync, truncateSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { appendLines, type Owner, type Processes, readText, systemProcesses } from "@hookline/ground/system";
import { type FileLockOptions, withFileLock } from "./file-lock.ts";
import { type Letter, letterBlock, readLetter } from "./letter.ts";

/** The paths of an inbox and its lock file. */
export interface InboxPaths {
  readonly inbox: string;
  /** The lock file of the inbox. Everybody who touches the inbox locks it with flock(2). */
  readonly inboxLock: string;
}

/** The letters that were taken out of an inbox. */
export interface Delivery {
  readonly letters: readonly Pick<Letter, "from" | "content">[];
  /** The number of lines that are no letters; they are moved to a file beside the inbox. */
  readonly bad: number;
}

const EMPTY: Delivery = { letters: [], bad: 0 };

/**
 * The inbox of one context. Letters that are taken move to a file of this process, and are removed when they are
 * `confirmed`. If the process ends before that, they are delivered again, unless they are in the conversation.
 */
export class Inbox {
  readonly #paths: InboxPaths;
  readonly #taken: string;
  readonly #options: FileLockOptions;
  /** Lines of letters that were taken but not confirmed yet. */
  #open: string[] = [];

  constructor(paths: InboxPaths, options: FileLockOptions = {}) {
    this.#paths = paths;
    this.#taken = takenPath(paths.inbox);
    this.#options = options;
  }

  /** Adds a letter. The context need not exist. Throws if the letter cannot be stored. */
  append(letter: Letter): Promise<void> {
    const line = JSON.stringify(letter);
    return withFileLock(this.#paths.inboxLock, () => appendLines(this.#paths.inbox, [line]), this.#options);
  }

  /**
   * Takes out all letters, including those that were taken before but not confirmed. `has` says whether the
   * conversation already contains the text of letters that were taken at `takenMs` (ms since 1970). An empty inbox is
   * not locked.
   */
  async take(has: (block: string, takenMs: number) => boolean = () => false): Promise<Delivery> {
    const { inbox, inboxLock } = this.#paths;
    if (sizeOf(inbox) > 0 || abandoned(inbox).length > 0)
      await withFileLock(inboxLock, () => this.#move(has), this.#options);
    if (this.#open.length === 0) return EMPTY;
    const read = this.#open.map((line) => ({ line, letter: readLetter(line) }));
    const bad = read.filter(({ letter }) => letter === undefined).map(({ line }) => line);
    this.#open = read.filter(({ letter }) => letter !== undefined).map(({ line }) => line);
    appendLines(`${inbox}.bad`, bad);
    return { letters: read.flatMap(({ letter }) => letter ?? []), bad: bad.length };
  }

  /** Marks the taken letters as read. If the conversation is `stored` on disk, the file that keeps them is removed. */
  confirm(stored: boolean): void {
    this.#open = [];
    if (stored) remove(this.#taken);
  }

  #move(has: (block: string, takenMs: number) => boolean): void {
    const { inbox } = this.#paths;
    const left = abandoned(inbox);
    const isRead = (path: string): boolean => {
      const letters = linesOf(path).flatMap((line) => readLetter(line) ?? []);
      return letters.length > 0 && has(letterBlock(letters), statSync(path).mtimeMs);
    };
    const old = left.filter((path) => !isRead(path)).flatMap(linesOf);
    const known = new Set(old);
    // A process that ended while it moved letters may have left the same lines in the inbox and in its own file.
    const lines = [...old, ...linesOf(inbox).filter((line) => !known.has(line))];
    appendLines(this.#taken, lines);
    this.#open.push(...lines);
    for (const path of left) remove(path);
    if (sizeOf(inbox) > 0) truncateSync(inbox, 0);
  }
}

function linesOf(path: string): string[] {
  return readText(path)
    .split("\n")
    .filter((line) => line.trim() !== "");
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The file is already removed.
  }
}

/** Returns the file in which this process keeps letters until they are in its session's history. */
function takenPath(inbox: string, processes: Processes = systemProcesses): string {
  const { pid, started, boot } = processes.self();
  return join(dirname(inbox), `.${basename(inbox)}.taken.${pid}.${started}.${boot}`);
}

/** Returns the files of letters that processes took from the inbox and did not confirm before they ended. */
function abandoned(inbox: string, processes: Processes = systemProcesses): string[] {
  const folder = dirname(inbox);
  const prefix = `.${basename(inbox)}.taken.`;
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix))
    .filter((name) => {
      const owner = ownerIn(name.slice(prefix.length));
      return owner !== undefined && !processes.alive(owner);
    })
    .sort()
    .map((name) => join(folder, name));
}

function ownerIn(text: string): Owner | undefined {
  const [pid, started, boot, more] = text.split(".");
  if (pid === undefined || started === undefined || boot === undefined || more !== undefined) return undefined;
  return /^\d+$/.test(pid) ? { pid: Number(pid), started, boot } : undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
