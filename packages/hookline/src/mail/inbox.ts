import { readdirSync, statSync, truncateSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { appendLines, type Owner, type Processes, readText, systemProcesses } from "@hookline/ground/system";
import { type FileLockOptions, withFileLock } from "./file-lock.ts";
import { type Letter, letterBlock, readLetter } from "./letter.ts";

/** An inbox's files. */
export interface InboxPaths {
  readonly inbox: string;
  /** Locked with flock(2) by everybody who touches the inbox. */
  readonly inboxLock: string;
}

/** An inbox's contents. */
export interface Delivery {
  readonly letters: readonly Pick<Letter, "from" | "content">[];
  /** Lines that are not letters; they are moved to a file beside the inbox. */
  readonly bad: number;
}

const EMPTY: Delivery = { letters: [], bad: 0 };

/**
 * One context's inbox. Taken letters move to a file of this process, and are removed only when they are `confirmed`; if
 * a process ended before that, its letters are delivered again, unless the conversation has them.
 */
export class Inbox {
  readonly #paths: InboxPaths;
  readonly #taken: string;
  readonly #options: FileLockOptions;
  /** Lines that were taken but not confirmed. */
  #open: string[] = [];

  constructor(paths: InboxPaths, options: FileLockOptions = {}) {
    this.#paths = paths;
    this.#taken = takenPath(paths.inbox);
    this.#options = options;
  }

  /** Adds a letter; the context need not exist. Throws if it cannot be stored. */
  append(letter: Letter): Promise<void> {
    const line = JSON.stringify(letter);
    return withFileLock(this.#paths.inboxLock, () => appendLines(this.#paths.inbox, [line]), this.#options);
  }

  /**
   * Takes everything out, including what was taken before but not confirmed. An empty inbox needs no lock. `has` says
   * whether the conversation has a block of letters that was taken at a time (ms since 1970) or later.
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

  /** The letters have been read. `stored`: their new place survives this process, so the copy can be removed. */
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
    // A process that ended between the two steps of a move has left the same lines in both places.
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
    // Already removed.
  }
}

/** Where a process keeps taken letters until they are in its session's history. */
function takenPath(inbox: string, processes: Processes = systemProcesses): string {
  const { pid, started, boot } = processes.self();
  return join(dirname(inbox), `.${basename(inbox)}.taken.${pid}.${started}.${boot}`);
}

/** Such files of ended processes: nobody has seen their letters. */
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
