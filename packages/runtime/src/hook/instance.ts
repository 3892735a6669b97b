import { type Diagnostic, diagnose, messageOf, type Source } from "@hookline/ground";
import type { Hook, HookSpec } from "./hook.ts";
import { HookMetrics } from "./metrics.ts";

/** The registry in which an instance registers its hooks and reports problems. */
export interface Register {
  add(lane: string, hook: Hook): void;
  remove(lane: string, hook: Hook): void;
  report(diagnostic: Diagnostic): void;
  /** Returns whether the host wants a hook to fail closed even if its dialect lets it fail open. */
  failsClosed?(hook: Pick<Hook, "id" | "event" | "source">): boolean;
}

/**
 * One loaded module, configuration file or plugin in one session. It owns its handlers and everything that belongs to
 * them; `dispose` undoes it all, once.
 */
export class Instance {
  readonly source: Source;
  readonly lane: string;
  readonly #register: Register;
  readonly #undo = new Set<() => void>();
  #abort: AbortController | undefined;
  #isDisposed = false;
  #isUsed = false;
  readonly #counts = new Map<string, number>();
  readonly hooks: Hook[] = [];

  constructor(lane: string, source: Source, register: Register) {
    this.lane = lane;
    this.source = source;
    this.#register = register;
  }

  /** Aborted when the instance is disposed. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isDisposed) this.#abort.abort();
    return this.#abort.signal;
  }

  get disposed(): boolean {
    return this.#isDisposed;
  }

  /** Whether the instance has an effect, because it has registered a hook or something else. */
  get isReachable(): boolean {
    return this.hooks.length > 0 || this.#isUsed;
  }

  /** Records that the instance has registered something other than hooks. */
  use(): void {
    this.#isUsed = true;
  }

  /** Registers a hook after the existing ones; returns a function that removes it. */
  on(spec: HookSpec): () => void {
    const index = this.#counts.get(spec.event) ?? 0;
    this.#counts.set(spec.event, index + 1);
    const id = `${this.lane}:${spec.name ?? this.source.path}#${spec.event}[${index}]`;
    const { event, at } = spec;
    const { line: _, pointer: __, ...file } = this.source;
    const source =
      at?.line === undefined
        ? this.source
        : { ...file, line: at.line, ...(at.pointer !== undefined && { pointer: at.pointer }) };
    const hook: Hook = {
      id,
      event,
      path: this.source.path,
      source,
      instance: this,
      run: spec.run,
      match: spec.match,
      filter: spec.filter,
      fits: spec.fits,
      reach: spec.reach,
      timeoutMs: spec.timeoutMs,
      transportMs: spec.transportMs,
      retry: spec.retry ?? 0,
      onError: spec.onError,
      failClosed: spec.failClosed ?? this.#register.failsClosed?.({ id, event, source }) ?? false,
      metrics: new HookMetrics(),
      carries: spec.carries,
      fault: undefined,
    };
    this.hooks.push(hook);
    this.#register.add(this.lane, hook);
    return () => {
      const at = this.hooks.indexOf(hook);
      if (at < 0) return;
      this.hooks.splice(at, 1);
      this.#register.remove(this.lane, hook);
    };
  }

  /** Calls `undo` when the instance is disposed, last in first out; the returned function cancels that. */
  own(undo: () => void): () => void {
    this.#undo.add(undo);
    return () => void this.#undo.delete(undo);
  }

  report(diagnostic: Diagnostic): void {
    this.#register.report(diagnostic);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#abort?.abort();
    for (const hook of this.hooks) this.#register.remove(this.lane, hook);
    this.hooks.length = 0;
    for (const undo of [...this.#undo].reverse()) {
      try {
        undo();
      } catch (thrown) {
        this.report(
          diagnose(
            "LISTENER_THREW",
            { what: `the end of ${this.source.path}`, problem: messageOf(thrown) },
            { source: this.source },
          ),
        );
      }
    }
    this.#undo.clear();
  }
}
