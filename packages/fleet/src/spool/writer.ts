import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { type Clock, claimName } from "../kit.ts";
import { type Signer, sha256 } from "../policy/key.ts";
import { Appended } from "./append.ts";
import { MOST_CONTENT_BYTES, NOTHING, sealLine } from "./batch.ts";
import { spoolBytes, type WriterPlace, writerPlace } from "./place.ts";

/** Largest size of a spool, in bytes. */
export const MOST_SPOOL_BYTES = 256 * 1024 * 1024;

/** Last line in the file of seals, if the writer has closed it. */
export const END_LINE = '{"end":true}\n';

/**
 * How long a writer uses its last measurement of the other files in the spool, in ms: measuring needs a system call for
 * each file.
 */
const LOOK_MS = 10_000;

/** The place and the owner of a spool. */
export interface SpoolOptions {
  /** The folder of the spool, which all writers of this machine share. */
  readonly folder: string;
  readonly fleet: string;
  readonly machine: string;
  readonly key: Signer;
  /** The machine's token of NATS, which shows that the key is the machine's. */
  readonly token: string;
  readonly clock: Clock;
  readonly mostBytes?: number;
}

/** The first line of a file of seals. */
export interface SpoolHead {
  readonly v: 1;
  readonly fleet: string;
  readonly machine: string;
  readonly writer: string;
  /** Unique name of the writing process: a later process with the same pid has another one. */
  readonly owner: string;
  /** The machine's token when the writer began. */
  readonly token: string;
}

/**
 * Writes a session's recording for a fleet: an append-only file. Each flush seals what was added in numbered, signed
 * and chained batches, which survive a power cut once the flush has resolved.
 */
export class SpoolWriter {
  readonly place: WriterPlace;
  readonly #options: SpoolOptions;
  readonly #recording: Appended;
  readonly #seals: Appended;
  /** Bytes that were added and are not sealed yet. */
  #open: Buffer[] = [];
  #sealed = 0;
  #n = 0;
  #prev = NOTHING;
  /** Size of the spool's other files when this writer last measured them, in bytes. */
  #others: number;
  #looked: number;
  #flushing: Promise<void> = Promise.resolve();

  /** Creates the files of a new writer; throws as the file system does. */
  constructor(options: SpoolOptions) {
    this.#options = options;
    const { folder, fleet, machine, token } = options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#others = spoolBytes(folder);
    this.#looked = options.clock.now();
    const writer = `${options.clock.wall().toString(36)}-${randomBytes(6).toString("hex")}`;
    this.place = writerPlace(folder, writer);
    this.#seals = new Appended(this.place.seals);
    this.#recording = new Appended(this.place.recording);
    const head: SpoolHead = { v: 1, fleet, machine, writer, owner: claimName(), token };
    this.#seals.add(Buffer.from(`${JSON.stringify(head)}\n`));
  }

  /** Byte offset of the next line in the recording. */
  get size(): number {
    return this.#recording.size;
  }

  /** Whether something was added that is not sealed yet. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Adds one line with its line break; throws if the spool is full, or cannot be written. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    this.#requireRoom(bytes.length);
    this.#recording.add(bytes);
    this.#open.push(bytes);
  }

  /** Seals the added lines, and resolves when they are on disk. */
  flush(): Promise<void> {
    const next = this.#flushing.catch(() => undefined).then(() => this.#flush());
    this.#flushing = next;
    return next;
  }

  /** Seals the added lines, and marks the end of the writer. */
  async close(): Promise<void> {
    try {
      await this.flush();
      this.#seals.add(Buffer.from(END_LINE));
    } catch {
      // This process leaves lines unsealed: once it has ended, another process seals and sends them.
    }
    this.#recording.close();
    this.#seals.close();
  }

  async #flush(): Promise<void> {
    const { folder } = this.#options;
    if (this.#options.clock.now() - this.#looked > LOOK_MS) this.#look();
    const added = this.#open;
    this.#open = [];
    const isFirst = this.#n === 0;
    let rest = Buffer.concat(added);
    try {
      // The content must be on disk before its seal.
      await this.#recording.keep();
      while (rest.length > 0) {
        this.#seal(rest.subarray(0, MOST_CONTENT_BYTES));
        rest = rest.subarray(MOST_CONTENT_BYTES);
      }
    } finally {
      if (rest.length > 0) this.#open = [rest, ...this.#open];
    }
    await this.#seals.keep();
    if (isFirst) await keepNames(folder);
  }

  #seal(content: Buffer): void {
    const { fleet, machine, key, clock } = this.#options;
    const about = { fleet, machine, writer: this.place.writer, n: this.#n + 1, prev: this.#prev, t: clock.wall() };
    const { line, hash } = sealLine(
      { v: 1, ...about, from: this.#sealed, bytes: content.length, sha256: sha256(content) },
      key,
    );
    this.#seals.add(line);
    this.#n += 1;
    this.#prev = hash;
    this.#sealed += content.length;
  }

  #look(): void {
    const { folder, clock } = this.#options;
    this.#others = spoolBytes(folder) - this.#recording.size - this.#seals.size;
    this.#looked = clock.now();
  }

  #requireRoom(bytes: number): void {
    const { mostBytes = MOST_SPOOL_BYTES, folder } = this.#options;
    const held = (): number => this.#others + this.#recording.size + this.#seals.size;
    if (held() + bytes <= mostBytes) return;
    // Other processes may have removed files from the spool since it was last measured.
    this.#look();
    if (held() + bytes > mostBytes)
      throw new Error(
        `the spool ${folder} is full: ${held()} of ${mostBytes} bytes are waiting for the fleet's server`,
      );
  }
}

/** Makes the names of new files in a folder survive a power cut, if the system can do that. */
async function keepNames(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
