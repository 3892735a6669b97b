/** Something that ends when its time is over. */
interface Limit {
  /** When, by the process's clock. */
  readonly at: number;
  end(): void;
}

/**
 * The limits of calls, with one timer for all. It is set anew only for a limit that is over before it rings: a timer that
 * a call sets and clears itself takes time from its answer.
 */
export class Deadlines {
  readonly #limits = new Set<Limit>();
  #rings = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `end` after this many ms, unless what it gives is called before. */
  set(ms: number, end: () => void): () => void {
    const limit = { at: performance.now() + ms, end };
    this.#limits.add(limit);
    if (limit.at < this.#rings) this.#ring(limit.at, ms);
    else this.#timer?.ref();
    return () => {
      this.#limits.delete(limit);
      if (this.#limits.size === 0) this.#timer?.unref();
    };
  }

  #ring(at: number, ms: number): void {
    clearTimeout(this.#timer);
    this.#rings = at;
    this.#timer = setTimeout(() => this.#endLate(), ms);
  }

  #endLate(): void {
    this.#rings = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const limit of this.#limits) {
      if (limit.at > now) next = Math.min(next, limit.at);
      else {
        this.#limits.delete(limit);
        limit.end();
      }
    }
    if (next < this.#rings) this.#ring(next, Math.ceil(next - now));
  }
}
