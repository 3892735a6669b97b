import { setTimeout as sleep } from "node:timers/promises";
import type { Hook } from "@hookline/runtime/engine";
import type { Patience } from "../hook/patience.ts";
import type { Assembled } from "../start/assemble.ts";

/** The exit code after each signal. Source: design/cli.md. */
const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof CODES;

/** The exit code if the reader of the output has closed it early: that of a process killed by SIGPIPE. */
const READER_GONE = 141;

/** The time in which a run must end after a signal, in ms. Source: ruling 6c. */
const HURRY_MS = 5000;
/** Time for running work to stop after a signal, in ms. Hooks on the session's end get the rest of `HURRY_MS`. */
const IDLE_MS = 2500;
/** The time after which a normal exit reports the hooks that it waits for, in ms. */
const UNTOLD_MS = 1000;

/** The objects through which an `Ending` learns that the output is closed, and stops the wait for hooks. */
export interface EndingParts {
  /** A signal that is aborted when nobody reads the output any more. */
  readonly readerGone?: AbortSignal | undefined;
  /** Ends the wait for hooks during the start when a signal arrives. */
  readonly patience: Patience;
}

/**
 * Ends a run: normally, after a signal, or when nobody reads its output any more. Once the hooks are loaded, hooks on
 * the session's end are always asked. A second signal, or one before the hooks are loaded, ends the process
 * immediately.
 */
export class Ending {
  /** Resolves with the exit code when a signal has arrived or the reader of the output has gone. */
  readonly signalled: Promise<number>;
  readonly #tell: (line: string) => void;
  readonly #undo: (() => void)[] = [];
  #code: number | undefined;
  #stage: "loading" | "starting" | "running" | "closing" = "loading";
  readonly #parts: EndingParts;
  #onSignal: (code: number) => void = () => {};
  /**
   * Set while another program shares the terminal, so that both get each interrupt. The first one is left to that
   * program; `again` is called for each later one.
   */
  #lent: { again(): void; count: number } | undefined;

  constructor(tell: (line: string) => void, parts: EndingParts) {
    this.#tell = tell;
    this.#parts = parts;
    this.signalled = new Promise((resolve) => {
      this.#onSignal = resolve;
    });
    for (const signal of Object.keys(CODES) as Signal[]) {
      const heard = (): void => {
        if (signal === "SIGINT" && this.#lent !== undefined) this.#interrupted(this.#lent);
        else this.#heard(CODES[signal]);
      };
      process.on(signal, heard);
      this.#undo.push(() => process.removeListener(signal, heard));
    }
  }

  /** The exit code of the signal that has arrived; undefined if none has. */
  get code(): number | undefined {
    return this.#code;
  }

  /** Records that hooks see the session's start now, so they must see its end as well. */
  start(): void {
    this.#stage = "starting";
  }

  /** Records that the agent exists. If a signal has arrived during the start, the agent takes no prompt. */
  begin({ agent }: Pick<Assembled, "agent">): void {
    this.#stage = "running";
    if (this.#code !== undefined) agent.end();
    const { readerGone } = this.#parts;
    const left = (): void => {
      if (this.#code === undefined && this.#stage === "running") this.#heard(READER_GONE);
    };
    if (readerGone?.aborted) left();
    else readerGone?.addEventListener("abort", left, { once: true });
  }

  /**
   * Leaves the first Ctrl+C to another program that uses the terminal; calls `again` at each later one. Returns a
   * function that takes the terminal back.
   */
  lend(again: () => void): () => void {
    const lent = { again, count: 0 };
    this.#lent = lent;
    return () => {
      if (this.#lent === lent) this.#lent = undefined;
    };
  }

  #interrupted(lent: { again(): void; count: number }): void {
    lent.count += 1;
    if (lent.count > 1) lent.again();
  }

  /**
   * Ends the session: starts no further turn, and asks hooks on its end, in order and without a time limit. After a
   * signal, or with `hurries`, running work is aborted first, and everything must end within five seconds.
   */
  async close(assembled: Assembled, hurries = false): Promise<void> {
    this.#stage = "closing";
    assembled.agent.end();
    if (this.#code === undefined && !hurries) await this.#closeInOrder(assembled);
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
    // A signal at this point only skips the last hooks; it does not change the exit code of the run.
    this.#code = undefined;
  }

  async #closeInHurry(assembled: Assembled): Promise<void> {
    const { agent } = assembled;
    const over = new AbortController();
    const deadline = setTimeout(() => over.abort(), HURRY_MS);
    agent.abort();
    const closing = (async () => {
      // Hooks must see the session's end even if some work does not respond to the abort.
      await Promise.race([agent.waitForIdle(), sleep(IDLE_MS, undefined, { ref: false })]);
      await assembled.close(over.signal, true);
    })();
    const late = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([closing.catch(() => undefined), late]);
    clearTimeout(deadline);
    // Child processes are ended even if there was no time for anything else.
    if (over.signal.aborted) await Promise.race([assembled.runtime.close(), sleep(1000)]);
  }

  #heard(code: number): void {
    if (this.#code !== undefined || this.#stage === "loading") process.exit(this.#code ?? code);
    this.#code = code;
    this.#onSignal(code);
    if (this.#stage !== "starting") return;
    this.#parts.patience.endForGood();
    setTimeout(() => process.exit(code), HURRY_MS).unref();
  }
}

function waitingLine({ hooks }: Assembled): string {
  const asked = new Set(hooks.explain("session.end", { reason: "quit" }).plan.map(({ id }) => id));
  const isWaitedFor = ({ id, metrics: { runs, ok, failed } }: Hook): boolean => asked.has(id) && runs > ok + failed;
  const ids = hooks.hooks().flatMap(({ hook }) => (isWaitedFor(hook) ? [hook.id] : []));
  return `Waiting for the end of ${ids.length === 0 ? "what still runs" : ids.join(", ")} (Ctrl+C skips)`;
}
