import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { readJson } from "../kit.ts";
import { messageOfBatch, readSeal, type Seal } from "./batch.ts";
import type { WriterPlace } from "./place.ts";
import { END_LINE, type SpoolHead } from "./writer.ts";

const LF = 10;

/** A sealed batch on disk. */
export interface Kept {
  readonly seal: Seal;
  readonly hash: string;
  /** The line of the batch's seal, with the line break. */
  readonly line: Buffer;
}

/** Reads the files of one writer as they grow; an incomplete last line is ignored until it is complete. */
export class SpoolReader {
  readonly place: WriterPlace;
  #head: SpoolHead | undefined;
  #hasEnded = false;
  readonly #batches: Kept[] = [];
  #read = 0;

  constructor(place: WriterPlace) {
    this.place = place;
  }

  /** The header that describes the writer; `undefined` if it was not written yet. */
  get head(): SpoolHead | undefined {
    this.#look();
    return this.#head;
  }

  /** Whether the writer has marked its end. */
  get hasEnded(): boolean {
    this.#look();
    return this.#hasEnded;
  }

  /** Returns the batches that were sealed so far, in order. Throws `Refused` for a seal that cannot be read. */
  batches(): readonly Kept[] {
    this.#look();
    return this.#batches;
  }

  /** Writes a batch as a message. Throws if its content is missing. */
  message({ seal, line }: Kept): Buffer {
    const fd = openSync(this.place.recording, "r");
    try {
      const content = Buffer.alloc(seal.bytes);
      let held = 0;
      for (let count = -1; count !== 0 && held < content.length; held += count)
        count = readSync(fd, content, held, content.length - held, seal.from + held);
      if (held < content.length) throw new Error(`${this.place.recording} ends before batch ${seal.n} does`);
      return messageOfBatch(line, content);
    } finally {
      closeSync(fd);
    }
  }

  /** The end of the complete lines in the file of seals, in bytes. */
  get end(): number {
    this.#look();
    return this.#read;
  }

  #look(): void {
    const bytes = readTail(this.place.seals, this.#read);
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      const line = bytes.subarray(start, end + 1);
      if (this.#head === undefined) this.#head = headOf(line, this.place.seals);
      else if (line.equals(Buffer.from(END_LINE))) this.#hasEnded = true;
      else this.#batches.push({ ...readSeal(line), line });
      start = end + 1;
      this.#read += line.length;
    }
  }
}

/** The newest batch that the fleet has acknowledged, and when. */
export interface Acked {
  readonly n: number;
  /** The time of the acknowledgement, in epoch ms. */
  readonly t: number;
}

/** Returns a writer's acknowledged batches, oldest first; unreadable lines count as not acknowledged. */
export function ackedOf({ acked }: WriterPlace): Acked[] {
  let text: string;
  try {
    text = readFileSync(acked, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const reading = readJson(line);
    const value = reading.ok ? (reading.value as Partial<Acked> | null) : undefined;
    return typeof value?.n === "number" && typeof value.t === "number" ? [{ n: value.n, t: value.t }] : [];
  });
}

function headOf(line: Uint8Array, path: string): SpoolHead {
  const reading = readJson(line);
  const head = reading.ok ? (reading.value as Partial<SpoolHead> | null) : undefined;
  if (head?.v !== 1 || typeof head.owner !== "string" || typeof head.token !== "string")
    throw new Error(`${path} does not begin with a valid header`);
  return head as SpoolHead;
}

/** Returns a file's bytes from a position on; empty if the file does not exist. */
export function readTail(path: string, from: number): Buffer {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
    let held = 0;
    for (let count = -1; count !== 0 && held < bytes.length; held += count)
      count = readSync(fd, bytes, held, bytes.length - held, from + held);
    return bytes.subarray(0, held);
  } finally {
    closeSync(fd);
  }
}
