import type { RecordingBytes } from "@hookline/runtime/past";
import type { MomentFile } from "./moment-file.ts";
import { MomentIndex } from "./moment-index.ts";
import { type Filter, Matches } from "./query.ts";
import { TextSearch } from "./search.ts";

/** How long the file is read before other work gets a turn, in ms. */
const SLICE_MS = 4;
/** How long an answer waits for the first reading of a file, in ms; after that it has what was read so far. */
const PATIENCE_MS = 50;
/** The maximum number of filters whose results are kept. */
const FILTERS = 8;

/** Lets other work run before continuing. */
export type Breathe = () => Promise<void>;

/** Called when the file has new moments, or when earlier ones have changed. */
export type Grown = (changed: readonly number[]) => void;

/** An opened file of moments: its index, which follows the file, and the results of searches in it. */
export class Reading {
  readonly index: MomentIndex;
  readonly #bytes: RecordingBytes;
  readonly #breathe: Breathe;
  readonly #grow: () => Promise<void>;
  readonly #listeners = new Set<Grown>();
  readonly #filters = new Map<string, { readonly matches: Matches; readonly search: TextSearch | undefined }>();
  #running: Promise<void> | undefined;
  #isAll = false;
  #failure: unknown;

  /** `grow` updates the file before it is read; needed only if the file is a copy that is made from another file. */
  constructor(file: MomentFile, bytes: RecordingBytes, breathe: Breathe, grow: () => Promise<void> = async () => {}) {
    this.index = new MomentIndex(file);
    this.#bytes = bytes;
    this.#breathe = breathe;
    this.#grow = grow;
  }

  /** Whether the last check read the file to its end. */
  get isAll(): boolean {
    return this.#isAll;
  }

  /** Reads the lines that were added to the file since the last call. Rejects for a file of another version. */
  async update(): Promise<void> {
    this.#running ??= this.#advance().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Reads the lines that were added to the file, but waits at most `PATIENCE_MS` for a large file. */
  async ready(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    try {
      await Promise.race([this.update(), enough]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls a listener whenever moments were added or changed; returns a function that removes it. */
  listen(listener: Grown): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns the moments that match a filter, as far as the file is indexed. */
  async matches(filter: Filter, signal?: AbortSignal): Promise<Matches> {
    const key = JSON.stringify(filter);
    let kept = this.#filters.get(key);
    if (kept === undefined) {
      const search = filter.q === undefined ? undefined : new TextSearch(this.#bytes, this.index, filter.q);
      const hasText = search === undefined ? undefined : (n: number) => search.has(n);
      kept = { search, matches: new Matches(this.index, filter, hasText) };
    }
    this.#filters.delete(key);
    this.#filters.set(key, kept);
    for (const oldest of this.#filters.keys()) {
      if (this.#filters.size <= FILTERS) break;
      this.#filters.delete(oldest);
    }
    const { search, matches } = kept;
    while (search !== undefined && !search.advance(until(SLICE_MS))) {
      signal?.throwIfAborted();
      await this.#breathe();
    }
    matches.lookUpTo(search?.searched ?? this.index.count);
    return matches;
  }

  async #advance(): Promise<void> {
    try {
      await this.#grow();
      for (;;) {
        const before = this.index.count;
        const { isAll, changed } = this.index.advance(until(SLICE_MS));
        this.#isAll = isAll;
        if (this.index.count > before || changed.length > 0) for (const tell of [...this.#listeners]) tell(changed);
        if (isAll) return;
        await this.#breathe();
      }
    } catch (thrown) {
      this.#failure = thrown;
    }
  }
}

function until(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}
