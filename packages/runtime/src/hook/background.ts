import type { Clock } from "@hookline/ground";
import { diagnose } from "@hookline/ground";
import type { Instance } from "./instance.ts";

/** A hook that was started and is not awaited. */
export interface InBackground {
  /** The hook's name and place, for people. */
  readonly label: string;
  readonly event: string;
  /** The time in milliseconds since the hook was started. */
  readonly ms: number;
  /** Ends the hook, because a person asked for it. */
  end(): void;
}

/** Everything that runs in the background of one session, from any dialect. */
export class Background {
  readonly #clock: Clock;
  readonly #running = new Set<{
    readonly label: string;
    readonly event: string;
    readonly since: number;
    end(): void;
  }>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the running hooks, in start order. */
  list(): readonly InBackground[] {
    const now = this.#clock.now();
    return [...this.#running].map(({ label, event, since, end }) => ({ label, event, ms: now - since, end }));
  }

  /** Calls the listener when something starts or ends; returns a function that stops this. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Starts work for an instance's hook. Work that still runs when the instance is disposed is ended and reported. */
  start(
    owner: Instance,
    { label, event }: Pick<InBackground, "label" | "event">,
    work: (signal: AbortSignal) => Promise<void>,
  ): void {
    if (owner.disposed) return;
    const abort = new AbortController();
    const one = { label, event, since: this.#clock.now(), end: () => abort.abort() };
    this.#running.add(one);
    const forget = owner.own(() => {
      abort.abort();
      owner.report(diagnose("BACKGROUND_ENDED", { label }, { source: owner.source, event }));
    });
    const over = (): void => {
      forget();
      this.#running.delete(one);
      this.#tell();
    };
    this.#tell();
    work(abort.signal).then(over, over);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
