import { type Clock, messageOf, type Timer } from "../kit.ts";
import { type SpoolOptions, SpoolWriter } from "./writer.ts";

/** How long decisions wait to be sealed together with others, in ms. */
const SEAL_MS = 1000;

/** Options of a sink. */
export interface SinkOptions extends SpoolOptions {
  /** Called when a batch was sealed. */
  sealed(): void;
  /** Called with the reason, in words, when decisions cannot be sealed; at most once until it works again. */
  failing(problem: string): void;
}

/**
 * Writes the decisions of one session for the fleet. A line is in the spool's file when `write` returns. Within a
 * second it is on disk, in a batch that can be sent.
 */
export class SpoolSink {
  readonly writer: SpoolWriter;
  readonly #options: SinkOptions;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  /** The reason why the last batch could not be sealed. */
  #problem: string | undefined;
  #isClosed = false;

  /** Creates the files of a new writer; throws as the file system does. */
  constructor(options: SinkOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.writer = this.#attempt(() => new SpoolWriter(options));
  }

  /** Returns the byte offset of the next line in the recording. Throws while decisions cannot be sealed. */
  place(): number {
    if (this.#problem !== undefined) throw this.#impossible(this.#problem);
    return this.writer.size;
  }

  /** Adds a line. Throws if the spool is full, or cannot be written or sealed. */
  write(line: string): void {
    this.#sealLater();
    if (this.#problem !== undefined) throw this.#impossible(this.#problem);
    this.#attempt(() => this.writer.write(line));
  }

  /** Seals the added lines now, without waiting for more. */
  async seal(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!this.writer.isOpen || this.#isClosed) return;
    try {
      await this.writer.flush();
      this.#problem = undefined;
      this.#options.sealed();
    } catch (thrown) {
      const isNew = this.#problem === undefined;
      this.#problem = messageOf(thrown);
      if (isNew) this.#options.failing(this.#impossible(this.#problem).message);
      this.#sealLater();
    }
  }

  /** Seals the added lines and ends the writer. */
  async flush(): Promise<void> {
    await this.seal();
    this.#timer?.cancel();
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.writer.close();
    if (this.#problem !== undefined) throw this.#impossible(this.#problem);
  }

  #sealLater(): void {
    this.#timer ??= this.#clock.timer(SEAL_MS, () => {
      this.#timer = undefined;
      void this.seal();
    });
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      throw this.#impossible(messageOf(thrown));
    }
  }

  #impossible(problem: string): Error {
    return new Error(`fleet ${this.#options.fleet}: audit not possible: ${problem}`);
  }
}
