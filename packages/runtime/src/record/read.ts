import { closeSync, openSync } from "node:fs";
import { plainBytes } from "./compressed.ts";
import { Follower, type PassedLine } from "./follow.ts";
import type { MomentHook, MomentLine, RecordingHeader, ShadowAnswer } from "./line.ts";
import type { RecordingBytes } from "./lines.ts";

/** A moment as it was recorded, its references resolved. Values are shared between moments: never change one. */
export interface RecordedMoment extends MomentLine {
  /** The number of its line in the file, from 1. */
  readonly line: number;
  /** The byte of the file at which its line begins. */
  readonly at: number;
  /** The header of the session that it belongs to, as far as one was read. */
  readonly header: RecordingHeader | undefined;
}

/** Lines that were skipped, as far as the file was read. */
export interface Skipped {
  /** Lines that are no lines of a recording, or that refer to one that cannot be read. */
  readonly unreadable: number;
  /** Whether the last line is torn, as a writer leaves it that was killed. It is not among the unreadable ones. */
  readonly torn: boolean;
}

/** A recording that is being read. */
export interface RecordingReader {
  /** The first line; nothing where that cannot be read. */
  readonly header: RecordingHeader | undefined;
  /** The lines skipped so far by `moments`. */
  readonly skipped: Skipped;
  /** Whether the last line that was read says that nothing is missing. */
  readonly isWhole: boolean;
  /**
   * Every moment in the order of the file, from its beginning each time. Throws for a file of another version; a line
   * that is damaged is counted in `skipped`.
   */
  moments(): AsyncIterable<RecordedMoment>;
  /** Closes a file that was opened here. */
  close(): void;
}

/**
 * Reads a recording; opens the file where a path is given. Throws as the file system does, and where the file is of
 * another version of the format than this hookline reads.
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

/** How many moments are read ahead for what was said later about the first of them. */
const MAX_OPEN = 256;

/** A line with what was said to `ask` at a moment before. */
interface AskedLine {
  readonly n: number;
  readonly asked: NonNullable<MomentLine["asked"]>;
}

/** A line with what a hook in shadow said about a moment before. */
interface ShadowLine {
  readonly n: number;
  readonly shadow: ShadowAnswer;
}

/** A parsed line that holds no value. */
type Read = RecordedMoment | RecordingHeader | AskedLine | ShadowLine;

/** A moment with what is still to be said about it. */
interface Open {
  moment: RecordedMoment;
  /** A person was asked. */
  asks: boolean;
  /** How many hooks in shadow have not answered. */
  shadows: number;
}

/** Moments in order, each with what was said about it later: to its `ask`, and by hooks in shadow. */
class Answers {
  readonly #queue: Open[] = [];

  /** Takes in a line; gives the moment back where nothing is waited for. */
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
      // Moments are counted anew behind a header.
    } else for (const one of this.#queue) [one.asks, one.shadows] = [false, 0];
    return undefined;
  }

  /** The first moment, where nothing is waited for about it, and of too many in any case. */
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

/** Whether it is the entry of a hook in shadow whose answer is a line behind. */
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

/** A recording that is read without waiting. */
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

  /** The same at once: a promise for each moment takes longer than its line. */
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

  /** Parses a line; returns nothing for a value or a line that cannot be read. */
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

/** Opens a file as the bytes of a recording, compressed or not; `passed` is told how far they have been read. */
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
