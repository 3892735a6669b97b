import { setTimeout as sleep } from "node:timers/promises";
import type { Assembled } from "../cli/assemble.ts";

/** What a process ends with that a signal has ended. Source: design/cli.md. */
const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof CODES;

/** What a run ends with whose reader has gone before its end, as after SIGPIPE. */
const READER_GONE = 141;

/** What everything together may take after a signal. Source: decision 6c. */
const HURRY_MS = 5000;
/** What nobody is told of when the hooks take it at a normal exit. */
const UNTOLD_MS = 1000;

/**
 * How a run ends: by itself, by the first signal, or because nobody reads its output any more. A second signal, or one before there is a session that could be
 * ended, ends the process at once.
 */
export class Ending {
  /** Resolves with the exit code when a signal has come, or the reader has gone. */
  readonly signalled: Promise<number>;
  readonly #tell: (line: string) => void;
  readonly #undo: (() => void)[] = [];
  #code: number | undefined;
  #hasSession = false;
  #isClosing = false;
  readonly #readerGone: AbortSignal | undefined;
  #onSignal: (code: number) => void = () => {};

  constructor(tell: (line: string) => void, readerGone?: AbortSignal) {
    this.#tell = tell;
    this.#readerGone = readerGone;
    this.signalled = new Promise((resolve) => {
      this.#onSignal = resolve;
    });
    for (const signal of Object.keys(CODES) as Signal[]) {
      const heard = (): void => this.#heard(CODES[signal]);
      process.on(signal, heard);
      this.#undo.push(() => process.removeListener(signal, heard));
    }
  }

  /** Set once a signal has come. */
  get code(): number | undefined {
    return this.#code;
  }

  /** From now on there is a session whose hooks are to hear of its end. */
  begin(): void {
    this.#hasSession = true;
    const left = (): void => {
      if (this.#code === undefined && !this.#isClosing) this.#heard(READER_GONE);
    };
    if (this.#readerGone?.aborted) left();
    else this.#readerGone?.addEventListener("abort", left, { once: true });
  }

  /** Ends the session: its hooks in order and in their own time, or after a signal within five seconds in all. */
  async close(assembled: Assembled): Promise<void> {
    this.#isClosing = true;
    if (this.#code === undefined) await this.#closeInOrder(assembled);
    else await this.#closeInHurry(assembled);
    for (const undo of this.#undo) undo();
  }

  async #closeInOrder(assembled: Assembled): Promise<void> {
    const skip = new AbortController();
    void this.signalled.then(() => skip.abort());
    const waiting = setTimeout(() => this.#tell(waitingLine(assembled)), UNTOLD_MS);
    const closing = assembled.close(skip.signal);
    await Promise.race([closing, this.signalled.then(() => sleep(HURRY_MS, undefined, { ref: false }))]);
    clearTimeout(waiting);
    // Whoever skips the last hooks does not take back what the run came to.
    this.#code = undefined;
  }

  async #closeInHurry(assembled: Assembled): Promise<void> {
    const { agent } = assembled;
    const over = new AbortController();
    const deadline = setTimeout(() => over.abort(), HURRY_MS);
    agent.abort();
    const closing = (async () => {
      await agent.waitForIdle();
      await assembled.close(over.signal);
    })();
    const late = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([closing.catch(() => undefined), late]);
    clearTimeout(deadline);
    // What still runs is ended even when nothing else could be done in time.
    if (over.signal.aborted) await Promise.race([assembled.runtime.close(), sleep(1000)]);
  }

  #heard(code: number): void {
    if (this.#code !== undefined || !this.#hasSession) process.exit(this.#code ?? code);
    this.#code = code;
    this.#onSignal(code);
  }
}

function waitingLine({ hooks }: Assembled): string {
  const ids = hooks.explain("session.end", { reason: "quit" }).plan.map(({ id }) => id);
  return `Waiting for the end of ${ids.length === 0 ? "what still runs" : ids.join(", ")} (Ctrl+C skips)`;
}
