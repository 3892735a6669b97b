import { type ReadonlySignal, signal } from "@preact/signals";

const MOST_KEPT = 24;
const MOST_AT_ONCE = 2;

/** The part of a list to request: from a position on, or around a moment. */
export type WindowPlace = { readonly from: number } | { readonly around: number };

/** An item of a list, with the number of its moment. Numbers ascend within a list. */
export interface Numbered {
  readonly n: number;
}

/** Requests `count` items of a list, starting at a position or around a moment. */
export type AskWindow<T extends Numbered> = (
  place: WindowPlace,
  count: number,
  signal: AbortSignal,
) => Promise<{ readonly items: readonly T[]; readonly total: number; readonly from: number }>;

/** Keeps the recently viewed windows of a long list. The rest of the list stays on the server. */
export class Windows<T extends Numbered> {
  /** The number of items in a window. */
  readonly size: number;
  readonly #ask: AskWindow<T>;
  readonly #failed: (thrown: unknown) => void;
  readonly #kept = new Map<number, readonly T[]>();
  readonly #stale = new Set<number>();
  readonly #pending = new Set<number>();
  readonly #ended = new AbortController();
  readonly #total = signal<number | undefined>(undefined);
  readonly #version = signal(0);
  #wanted: readonly [first: number, last: number] = [0, 0];

  constructor(size: number, ask: AskWindow<T>, failed: (thrown: unknown) => void) {
    this.size = size;
    this.#ask = ask;
    this.#failed = failed;
    this.#pump();
  }

  /** The length of the list; `undefined` before the first answer. */
  get total(): ReadonlySignal<number | undefined> {
    return this.#total;
  }

  /** A number that changes whenever items have arrived. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  /** Returns an item, if its window is loaded. */
  at(index: number): T | undefined {
    return this.#kept.get(Math.floor(index / this.size))?.[index % this.size];
  }

  /** Returns the position of a moment, if its window is loaded. */
  indexOf(n: number): number | undefined {
    for (const [key, items] of this.#kept) {
      const at = items.findIndex((item) => item.n === n);
      if (at >= 0) return key * this.size + at;
    }
    return undefined;
  }

  /**
   * Returns the position of a moment, and asks the server if its window is not loaded. `undefined` if the list does not
   * contain the moment.
   */
  async locate(n: number): Promise<number | undefined> {
    const known = this.indexOf(n);
    if (known !== undefined) return known;
    try {
      const { from, items } = await this.#ask({ around: n }, 1, this.#ended.signal);
      return items[0]?.n === n ? from : undefined;
    } catch (thrown) {
      if (!this.#ended.signal.aborted) this.#failed(thrown);
      return undefined;
    }
  }

  /** Sets which items are visible, and loads those that are missing. */
  want(first: number, last: number): void {
    this.#wanted = [Math.floor(Math.max(0, first) / this.size), Math.floor(Math.max(0, last) / this.size)];
    this.#pump();
  }

  /** Loads an item, even if it is not visible. */
  load(index: number): void {
    if (this.at(index) === undefined) this.#stale.add(Math.floor(index / this.size));
    this.#pump();
  }

  /** Must be called when the list has grown at its end. Reloads the last window. */
  grew(): void {
    const last = Math.floor(Math.max(0, (this.#total.peek() ?? 0) - 1) / this.size);
    this.#stale.add(last);
    this.#pump();
  }

  /** Must be called when a moment has changed. Reloads the window that may contain it, and the one before that. */
  changed(n: number): void {
    const keys = [...this.#kept].filter(([, items]) => (items[0]?.n ?? n) <= n).map(([key]) => key);
    for (const key of keys.sort((a, b) => a - b).slice(-2)) this.#stale.add(key);
    this.#pump();
  }

  /** Aborts the running requests. */
  close(): void {
    this.#ended.abort();
  }

  #pump(): void {
    const [first, last] = this.#wanted;
    const most = Math.ceil(Math.max(1, this.#total.peek() ?? 1) / this.size) - 1;
    const keys = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const missing = keys.filter((key) => key <= most && !this.#kept.has(key));
    for (const key of [...missing, ...this.#stale]) {
      if (this.#pending.size >= MOST_AT_ONCE) return;
      if (!this.#pending.has(key)) void this.#load(key);
    }
  }

  async #load(key: number): Promise<void> {
    this.#pending.add(key);
    this.#stale.delete(key);
    try {
      const { items, total } = await this.#ask({ from: key * this.size }, this.size, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
      this.#kept.delete(key);
      this.#kept.set(key, items);
      const [first, last] = this.#wanted;
      for (const old of this.#kept.keys()) {
        if (this.#kept.size <= MOST_KEPT) break;
        if (old < first || old > last) this.#kept.delete(old);
      }
      this.#total.value = total;
      this.#version.value += 1;
      this.#pending.delete(key);
      this.#pump();
    } catch (thrown) {
      this.#pending.delete(key);
      if (!this.#ended.signal.aborted) this.#failed(thrown);
    }
  }
}
