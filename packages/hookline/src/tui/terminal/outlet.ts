import { closeSync, constants, openSync, writeSync } from "node:fs";

/** How long a terminal that takes nothing is left alone before it is tried again. */
const RETRY_MS = 8;
/** How long the last words before an exit may take. */
const LAST_WORDS_MS = 500;

/** Where bytes go; the number of those that were taken, or an error `EAGAIN` when none can be. */
export type Sink = (bytes: Buffer) => number;

/**
 * Writes to a terminal without ever waiting for it: what it does not take now is kept and tried again. Node's own
 * writes to a terminal block the whole process while the terminal is stopped (Ctrl+S, a stalled connection).
 */
export class Outlet {
  readonly #sink: Sink;
  #waiting: Buffer[] = [];
  #fresh = "";
  #timer: NodeJS.Timeout | undefined;
  /** Called when everything has been taken after something had to wait. */
  onDrained: (() => void) | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Whether the terminal has not taken what it was given. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  write(text: string): void {
    if (text === "") return;
    // What is written at once goes out at once: a frame is several writes.
    if (this.#fresh === "" && this.#timer === undefined) queueMicrotask(() => this.#flow());
    this.#fresh += text;
  }

  /** Writes what waits before the process ends; false when the terminal takes nothing and the rest was given up. */
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

  /** Hands over as much as is taken; true when nothing is left. */
  #take(): boolean {
    for (let bytes = this.#waiting[0]; bytes !== undefined; bytes = this.#waiting[0]) {
      let taken: number;
      try {
        taken = this.#sink(bytes);
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === "EAGAIN") return false;
        // A terminal that is gone takes nothing ever again; its end is told by a signal.
        this.#waiting = [];
        return true;
      }
      if (taken < bytes.length) this.#waiting[0] = bytes.subarray(taken);
      else this.#waiting.shift();
    }
    return true;
  }
}

/** The terminal behind stdout, opened once more so that not waiting for it is nobody else's affair; with its end. */
export function terminalSink(): { readonly sink: Sink; close(): void } {
  const path = process.platform === "linux" ? "/proc/self/fd/1" : "/dev/tty";
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return { sink: (bytes) => writeSync(fd, bytes), close: () => closeSync(fd) };
  } catch {
    return { sink: (bytes) => writeSync(1, bytes), close: () => {} };
  }
}
