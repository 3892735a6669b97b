import { closeSync, openSync } from "node:fs";
import { plainBytes } from "./compressed.ts";
import { Follower, type PassedLine } from "./follow.ts";
import type { MomentHook, MomentLine, RecordingHeader, ShadowAnswer } from "./line.ts";
import type { RecordingBytes } from "./lines.ts";

/** A recorded moment with its references resolved. Values are shared between moments: never change one. */
export interface RecordedMoment extends MomentLine {
  /** The 1-based number of the moment's line in the file. */
  readonly line: number;
  /** The byte offset of the moment's line. */
  readonly at: number;
  /** The header of the session that the moment belongs to; `undefined` if none could be read. */
  readonly header: RecordingHeader | undefined;
}

/** The lines that were skipped in what has been read so far. */
export interface Skipped {
  /** The number of lines that are not lines of a recording, or that refer to a line that cannot be read. */
  readonly unreadable: number;
  /** Whether the last line is incomplete, as after a kill of the writing process. It does not count as unreadable. */
  readonly torn: boolean;
}

/** A reader of one recording. */
export interface RecordingReader {
  /** The header on the first line; `undefined` if that cannot be read. */
  readonly header: RecordingHeader | undefined;
  /** The lines that `moments` has skipped so far. */
  readonly skipped: Skipped;
  /** Whether the last line that was read says that the recording is complete. */
  readonly isWhole: boolean;
  /**
   * Yields every moment in the order of the file, from its beginning on each call. Throws for a file of another
   * version; a damaged line is counted in `skipped`.
   */
  moments(): AsyncIterable<RecordedMoment>;
  /** Closes the file, if `readRecording` opened it. */
  close(): void;
}

/**
 * Opens a recording by its path or bytes. Throws like the file system, and for a version of the format that this
 * hookline does not read.
 */
export function readRecording(from: string | RecordingBytes): RecordingReader {
  const bytes = typeof from === "string" ? openBytes(from) : from;
  try {
    return new Reader(bytes, bytes.name ?? "the recording");
  } catch (thrown) {
    if (typeof from === "string") bytes.close?.();
    throw thrown;
  }
}

/** The number of moments that are read ahead while the first of them waits for answers on later lines. */
const MAX_OPEN = 256;

/** A line with the answer to an `ask` of an earlier moment. */
interface AskedLine {
  readonly n: number;
  readonly asked: NonNullable<MomentLine["asked"]>;
}

/** A line with the answer of a hook in shadow about an earlier moment. */
interface ShadowLine {
  readonly n: number;
  readonly shadow: ShadowAnswer;
}

/** A line that was parsed and does not only store a value for later references: a moment, a header, or an answer. */
type Read = RecordedMoment | RecordingHeader | AskedLine | ShadowLine;

/** A moment that may wait for answers on later lines. */
interface Open {
  moment: RecordedMoment;
  /** Whether the answer to an `ask` is still missing. */
  asks: boolean;
  /** The number of hooks in shadow whose answers are still missing. */
  shadows: number;
}

/** Holds moments back until later lines with answers to them have been read: to an `ask`, or from hooks in shadow. */
class Answers {
  readonly #queue: Open[] = [];

  /** Adds a line; returns the moment at once if it need not wait. */
  take(read: Read): RecordedMoment | undefined {
    if ("event" in read) {
      const asks = isAsking(read.outcome as object);
      const shadows = unansweredIn(read.hooks);
      if (!asks && shadows === 0 && this.#queue.length === 0) return read;
      this.#queue.push({ moment: read, asks, shadows });
    } else if ("asked" in read) {
      const open = this.#queue.findLast(({ moment, asks }) => asks && moment.n === read.n);
      if (open !== undefined) Object.assign(open, { moment: { ...open.moment, asked: read.asked }, asks: false });
    } else if ("shadow" in read) {
      const open = this.#queue.findLast(({ moment, shadows }) => shadows > 0 && moment.n === read.n);
      if (open !== undefined) open.moment = withAnswer(open, read.shadow);
      // After a header the numbers begin at 1 again, so no later line can answer these moments.
    } else for (const one of this.#queue) [one.asks, one.shadows] = [false, 0];
    return undefined;
  }

  /** Removes and returns the first moment, if it waits for nothing or more than `most` moments are queued. */
  next(most: number): RecordedMoment | undefined {
    const [first] = this.#queue;
    if (first === undefined || ((first.asks || first.shadows > 0) && this.#queue.length <= most)) return undefined;
    this.#queue.shift();
    return first.moment;
  }
}

function isAsking(outcome: object): boolean {
  for (const value of Object.values(outcome)) if (value === "ask") return true;
  return false;
}

function unansweredIn(hooks: readonly MomentHook[]): number {
  let count = 0;
  for (const hook of hooks) if (isUnanswered(hook)) count += 1;
  return count;
}

/** Returns whether the answer of a hook in shadow is on a later line. */
function isUnanswered({ shadow, status }: MomentHook): boolean {
  return shadow === true && status === "asked";
}

function withAnswer(open: Open, answer: ShadowAnswer): RecordedMoment {
  const { moment } = open;
  const at = moment.hooks.findIndex((hook) => isUnanswered(hook) && hook.id === answer.id);
  if (at === -1) return moment;
  open.shadows -= 1;
  return { ...moment, hooks: moment.hooks.map((hook, i) => (i === at ? { ...hook, ...answer } : hook)) };
}

/** A reader that can also read synchronously. */
export class Reader implements RecordingReader {
  readonly header: RecordingHeader | undefined;
  readonly #bytes: RecordingBytes;
  readonly #name: string;
  #unreadable = 0;
  #torn = false;
  #isWhole = false;

  constructor(bytes: RecordingBytes, name: string) {
    this.#bytes = bytes;
    this.#name = name;
    for (const { section } of new Follower(bytes, name).lines(true)) {
      this.header = section.header;
      return;
    }
  }

  get skipped(): Skipped {
    return { unreadable: this.#unreadable, torn: this.#torn };
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  async *moments(): AsyncGenerator<RecordedMoment, void> {
    yield* this.read();
  }

  /** Yields the moments synchronously, because a promise for each takes longer than reading its line. */
  *read(): Generator<RecordedMoment, void> {
    this.#unreadable = 0;
    this.#torn = false;
    this.#isWhole = false;
    const queue = new Answers();
    const follower = new Follower(this.#bytes, this.#name);
    for (const passed of follower.lines(true)) {
      this.#isWhole = follower.isWhole;
      const said = this.#saidBy(passed, follower);
      if (said === undefined) continue;
      const at = queue.take(said);
      if (at !== undefined) yield at;
      else for (let next = queue.next(MAX_OPEN); next !== undefined; next = queue.next(MAX_OPEN)) yield next;
    }
    this.#torn = follower.torn;
    for (let next = queue.next(0); next !== undefined; next = queue.next(0)) yield next;
  }

  /** Parses a line; returns `undefined` for a stored value or a line that cannot be read. */
  #saidBy(passed: PassedLine, follower: Follower): Read | undefined {
    const { kind, line, at, number, section } = passed;
    if (kind === "header") return section.header;
    if (kind === "asked") return line as unknown as AskedLine;
    try {
      if (kind === "shadow") return follower.resolve(line, passed) as ShadowLine;
      if (kind === "moment")
        return Object.assign(follower.moment(passed), { line: number, at, header: section.header });
      if (kind === "damaged") this.#unreadable += 1;
    } catch {
      this.#unreadable += 1;
    }
    return undefined;
  }

  close(): void {
    this.#bytes.close?.();
  }
}

/** Opens a file as the bytes of a recording, compressed or not. Calls `passed` with each offset that is read from. */
export function openBytes(path: string, passed?: (bytes: number) => void): Required<RecordingBytes> {
  const fd = openSync(path, "r");
  const bytes = plainBytes(fd);
  let isOpen = true;
  return {
    name: path,
    read(into, from) {
      passed?.(from);
      return bytes.read(into, from);
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}
