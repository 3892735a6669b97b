import { type Diagnostic, diagnose, place } from "../error/diagnostic.ts";
import { messageOf } from "../error/error.ts";
import type { Hook } from "../hook/hook.ts";
import type { Clock, Timer } from "../port/clock.ts";
import { claimName } from "./owner.ts";
import { compactStats, counted, type HookStats, sum, writeStats } from "./stats.ts";

const EVERY_MS = 30_000;
const RECENT = 128;

/** What a keeper works with. */
export interface StatsParts {
  readonly folder: string;
  readonly clock: Clock;
  /** The hooks that are registered now. */
  hooks(): Iterable<Hook>;
  /** Told once of counters that could not be written. */
  report(diagnostic: Diagnostic): void;
}

/** Writes the counters of one session's hooks, every so often and at its end. Its failures cost the counters, are told once, and cost nothing else. */
export class StatsKeeper {
  readonly #parts: StatsParts;
  readonly #name = claimName();
  #kept: HookStats[] = [];
  /** What was counted when it was last written. */
  #written = 0;
  #isTold = false;
  #timer: Timer | undefined;

  constructor(parts: StatsParts) {
    this.#parts = parts;
    this.#arm();
  }

  /** Keeps the counters of hooks that go, as at a reload. */
  keep(hooks: readonly Hook[]): void {
    this.#kept = sum([...this.#kept, ...active(hooks)]);
  }

  flush(): void {
    const stats = sum([...this.#kept, ...active(this.#parts.hooks())]);
    const count = counted(stats);
    if (stats.length === 0 || count === this.#written) return;
    try {
      writeStats(this.#parts.folder, this.#name, stats);
      this.#written = count;
    } catch (thrown) {
      if (!this.#isTold)
        this.#parts.report(diagnose("STATS_LOST", { path: this.#parts.folder, problem: messageOf(thrown) }));
      this.#isTold = true;
    }
  }

  /** Writes for the last time. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.flush();
    try {
      compactStats(this.#parts.folder);
    } catch {
      // The next session tries again.
    }
  }

  #arm(): void {
    this.#timer = this.#parts.clock.timer(EVERY_MS, () => {
      this.flush();
      this.#arm();
    });
  }
}

function active(hooks: Iterable<Hook>): HookStats[] {
  // A hook that was kept from running has failures without runs.
  return [...hooks].map(statsOf).filter((stats) => counted([stats]) > 0);
}

function statsOf({ id, event, source, instance, metrics }: Hook): HookStats {
  const { runs, ok, failed, timedOut, failedOpen, skipped, blocked, edits, totalMs, recent, lastError } = metrics;
  return {
    id,
    dialect: source.dialect ?? instance.lane,
    tier: source.tier,
    source: place(source),
    event,
    runs,
    ok,
    failed,
    timedOut,
    failedOpen,
    skipped,
    blocked,
    edits,
    totalMs: rounded(totalMs),
    recent: recent.slice(-RECENT).map(rounded),
    ...(lastError !== undefined && { lastError: knownError(lastError) }),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** What the engine itself says of a failure, and what JavaScript says without quoting data. */
const KNOWN: readonly RegExp[] = [
  /^no answer within \d+ ms$/,
  /^exit code \d+$/,
  /^signal SIG[A-Z0-9]+$/,
  /^aborted$/,
  /^the chain limit was reached$/,
  /^the limit of its output$/,
  /^its output is not valid UTF-8$/,
  /^its file is gone$/,
  /^it is (?:a|an|no|not) [a-z ,]{1,40}$/,
  /^Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '[\w$]{1,40}'\)$/,
  /^[\w$.]{1,60} is not (?:a function|defined|iterable|a constructor)$/,
  /^Maximum call stack size exceeded$/,
];

/** An error's text as far as it may be written to disk: one that could quote a payload is only said to be there (guarantees R55). */
export function knownError(message: string): string {
  return KNOWN.some((known) => known.test(message)) ? message : "it threw; `--verbose` shows the text";
}
