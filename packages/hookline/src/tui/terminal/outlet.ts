import { closeSync, constants, openSync, writeSync } from "node:fs";

/** How long to wait before retrying a terminal that accepts nothing, in ms. */
const RETRY_MS = 8;
/** How long the last output before an exit may take, in ms. */
const LAST_WORDS_MS = 500;

/** Writes bytes; returns how many were accepted, or throws `EAGAIN` if none. */
export type Sink = (bytes: Buffer) => number;

/**
 * Writes to a terminal without ever waiting for it: output that it does not accept now is kept and retried. Node's own
 * writes to a terminal block the whole process while the terminal is stopped (Ctrl+S, a stalled connection).
 */
export class Outlet {
  readonly #sink: Sink;
  #waiting: Buffer[] = [];
  #fresh = "";
  #timer: NodeJS.Timeout | undefined;
  /** Called when all delayed output has been accepted. */
  onDrained: (() => void) | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Whether output is still pending. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  write(text: string): void {
    if (text === "") return;
    // Writes of the same tick are sent together, because a frame consists of several writes.
    if (this.#fresh === "" && this.#timer === undefined) queueMicrotask(() => this.#flow());
    this.#fresh += text;
  }

  /**
   * Writes pending output before the process ends; returns false if the terminal accepts nothing and the rest was
   * dropped.
   */
  finish(): boolean {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#collect();
    const pause = new Int32Array(new SharedArrayBuffer(4));
    const end = performance.now() + LAST_WORDS_MS;
    let isDone = this.#take();
    while (!isDone && performance.now() < end) {
      Atomics.wait(pause, 0, 0, RETRY_MS);
      isDone = this.#take();
    }
    this.#waiting = [];
    return isDone;
  }

  #collect(): void {
    if (this.#fresh !== "") this.#waiting.push(Buffer.from(this.#fresh));
    this.#fresh = "";
  }

  #flow(): void {
    const waited = this.#timer !== undefined;
    this.#timer = undefined;
    this.#collect();
    if (!this.#take()) this.#timer = setTimeout(() => this.#flow(), RETRY_MS);
    else if (waited) this.onDrained?.();
  }

  /** Writes as much as is accepted; returns true if nothing is left. */
  #take(): boolean {
    for (let bytes = this.#waiting[0]; bytes !== undefined; bytes = this.#waiting[0]) {
      let taken: number;
      try {
        taken = this.#sink(bytes);
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === "EAGAIN") return false;
        // A closed terminal never accepts anything again, so the rest is dropped; a signal reports that it was closed.
        this.#waiting = [];
        return true;
      }
      if (taken < bytes.length) this.#waiting[0] = bytes.subarray(taken);
      else this.#waiting.shift();
    }
    return true;
  }
}

/** Opens the terminal behind stdout again, so that non-blocking mode affects nothing else; `close` closes it. */
export function terminalSink(): { readonly sink: Sink; close(): void } {
  const path = process.platform === "linux" ? "/proc/self/fd/1" : "/dev/tty";
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return { sink: (bytes) => writeSync(fd, bytes), close: () => closeSync(fd) };
  } catch {
    return { sink: (bytes) => writeSync(1, bytes), close: () => {} };
  }
}
