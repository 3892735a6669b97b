import { setTimeout as sleep } from "node:timers/promises";
import type { Hook } from "@hookline/runtime/engine";
import type { Patience } from "../hook/patience.ts";
import type { Assembled } from "../start/assemble.ts";

/** The exit code after each signal. Source: design/cli.md. */
const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof CODES;

/** The exit code if the reader of the output has closed it before the end, as after SIGPIPE. */
const READER_GONE = 141;

/** Total time after a signal. Source: decision 6c. */
const HURRY_MS = 5000;
/** The part of it for running work; the rest is for the hooks of the session's end. */
const IDLE_MS = 2500;
/** At a normal exit, hooks that take longer than this are named. */
const UNTOLD_MS = 1000;

/** Other parts that an ending may need. */
export interface EndingParts {
  /** Aborted when nobody reads the output any more. */
  readonly readerGone?: AbortSignal | undefined;
  /** The patience for hooks of the start; a signal ends it. */
  readonly patience: Patience;
}

/**
 * How a run ends: by itself, by the first signal, or because nobody reads its output any more. Once the hooks are
 * loaded, those of the session's end are always asked. A second signal, or one before the hooks are loaded, ends the
 * process immediately.
 */
export class Ending {
  /** Resolves with the exit code when a signal has arrived or the reader has gone. */
  readonly signalled: Promise<number>;
  readonly #tell: (line: string) => void;
  readonly #undo: (() => void)[] = [];
  #code: number | undefined;
  #stage: "loading" | "starting" | "running" | "closing" = "loading";
  readonly #parts: EndingParts;
  #onSignal: (code: number) => void = () => {};
  /**
   * Set while another program has the terminal: `again` is called for every interrupt but the first, which that program
   * gets too.
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

  /** Set once a signal has arrived. */
  get code(): number | undefined {
    return this.#code;
  }

  /** The hooks are loaded and are told of the session's start, so they must be told of its end. */
  start(): void {
    this.#stage = "starting";
  }

  /** The agent exists; if the run was ended during the start, it takes no prompt. */
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
   * Another program has the terminal, so that Ctrl+C is meant for it; `again` is called if it is pressed more than
   * once. Returns a function that takes the terminal back.
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
   * Ends the session: no further turn starts, and the hooks are told of the end, in order and without a time limit.
   * After a signal, or in a hurry, running work is aborted first, and there are five seconds for everything.
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
    // Skipping the last hooks does not change the result of the run.
    this.#code = undefined;
  }

  async #closeInHurry(assembled: Assembled): Promise<void> {
    const { agent } = assembled;
    const over = new AbortController();
    const deadline = setTimeout(() => over.abort(), HURRY_MS);
    agent.abort();
    const closing = (async () => {
      // Work that does not respond to an abort must not keep the hooks from being told of the end.
      await Promise.race([agent.waitForIdle(), sleep(IDLE_MS, undefined, { ref: false })]);
      await assembled.close(over.signal, true);
    })();
    const late = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([closing.catch(() => undefined), late]);
    clearTimeout(deadline);
    // Running programs are ended even if there was no time for anything else.
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
