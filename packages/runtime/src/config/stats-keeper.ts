import type { Clock, Timer } from "@hookline/ground";
import { type Diagnostic, diagnose, messageOf, place } from "@hookline/ground";
import { claimName } from "@hookline/ground/system";
import type { Hook } from "../hook/hook.ts";
import type { ShadowCounts } from "../hook/metrics.ts";
import { compactStats, counted, type HookStats, hasStats, type ShadowStats, since, sum, writeStats } from "./stats.ts";

const EVERY_MS = 5_000;
/** The longest interval between two looks at the counters of an idle session; a look wakes the process. */
const IDLE_MS = 40_000;
/** The number of latest run times that are kept for one hook and day. */
const RECENT = 64;

/** Everything that a `StatsKeeper` needs from its session. */
export interface StatsParts {
  readonly folder: string;
  readonly clock: Clock;
  /** The session's working folder. */
  readonly project: string;
  /** The agent that runs the session; absent if it is hookline's own. */
  readonly host?: string | undefined;
  /** Returns the hooks that are registered now. */
  hooks(): Iterable<Hook>;
  /** Called once, the first time that counters cannot be written. */
  report(diagnostic: Diagnostic): void;
}

/**
 * Writes the counters of one session's hooks to a file, every few seconds while events occur, and at the end. If that fails, the counters
 * are lost, a diagnostic is reported once, and nothing else is affected.
 */
export class StatsKeeper {
  readonly #parts: StatsParts;
  readonly #name = claimName();
  #kept: HookStats[] = [];
  /** The counters of each hook when the day began or the counters were reset. */
  #before = new WeakMap<Hook, HookStats>();
  #day: string;
  /** The sum of all counters at the last write. */
  #written = 0;
  #isTold = false;
  #wait = EVERY_MS;
  #timer: Timer | undefined;

  constructor(parts: StatsParts) {
    this.#parts = parts;
    this.#day = dayOf(parts.clock.wall());
    this.#arm();
  }

  /** Remembers the counters of hooks that are about to be removed, as in a reload. */
  keep(hooks: Iterable<Hook>): void {
    this.#kept = this.#with(hooks);
  }

  /** Ends the long intervals of an idle session. Call it when an event begins and when it ends. */
  wake(): void {
    if (this.#wait === EVERY_MS || this.#timer === undefined) return;
    this.flush();
    this.#wait = EVERY_MS;
    this.#timer?.cancel();
    this.#arm();
  }

  flush(): void {
    if (this.#written > 0 && !hasStats(this.#parts.folder, this.#name)) this.#restart();
    const stats = this.#with(this.#parts.hooks());
    this.#turn();
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

  /** Writes the counters one last time. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.flush();
    try {
      compactStats(this.#parts.folder);
    } catch {
      // If the merge fails, the next session tries it again.
    }
  }

  /** Starts counting again after a person has reset the counters. */
  #restart(): void {
    this.#kept = [];
    this.#written = 0;
    this.#begin();
  }

  /** Starts new counters when a new day has begun. */
  #turn(): void {
    const day = dayOf(this.#parts.clock.wall());
    if (day === this.#day) return;
    this.keep(this.#parts.hooks());
    this.#begin();
    this.#day = day;
  }

  #begin(): void {
    for (const hook of this.#parts.hooks()) this.#before.set(hook, statsOf(hook));
  }

  /** Returns the counters of removed hooks together with those of the given hooks. */
  #with(hooks: Iterable<Hook>): HookStats[] {
    const all = sum([...this.#kept, ...this.#active(hooks)]);
    return all.map((one) => ({ ...one, recent: one.recent.slice(-RECENT) }));
  }

  #active(hooks: Iterable<Hook>): HookStats[] {
    const { project, host } = this.#parts;
    const about = { project, day: this.#day, ...(host !== undefined && { host }) };
    // Keeps hooks with any counter above 0: one that could not run has failures without runs.
    return [...hooks]
      .map((hook) => ({ ...since(statsOf(hook), this.#before.get(hook)), ...about }))
      .filter((stats) => counted([stats]) > 0);
  }

  #arm(): void {
    this.#timer = this.#parts.clock.timer(this.#wait, () => {
      const written = this.#written;
      this.flush();
      this.#wait = this.#written === written ? Math.min(2 * this.#wait, IDLE_MS) : EVERY_MS;
      this.#arm();
    });
  }
}

/** Returns the date of a time in the local time zone. */
export function dayOf(wall: number): string {
  const date = new Date(wall);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function statsOf({ id, event, source, instance, metrics }: Hook): HookStats {
  const { runs, ok, failed, timedOut, failedOpen, skipped, blocked, asks, edits, totalMs, recent, lastError } = metrics;
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
    asks,
    edits,
    totalMs: rounded(totalMs),
    recent: recent.slice(-RECENT).map(rounded),
    ...(lastError !== undefined && { lastError: knownError(lastError) }),
    ...(metrics.shadow !== undefined && { shadow: shadowStats(metrics.shadow) }),
  };
}

function shadowStats({ effects, ...counts }: ShadowCounts): ShadowStats {
  return { ...counts, ...(Object.keys(effects).length > 0 && { effects: { ...effects } }) };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** Error texts of the engine and of JavaScript itself that contain no text from a payload. */
const KNOWN: readonly RegExp[] = [
  /^no answer within \d+ ms$/,
  /^exit code \d+$/,
  /^signal SIG[A-Z0-9]+$/,
  /^aborted$/,
  /^the chain limit was reached$/,
  /^its output is larger than hookline reads$/,
  /^its output is not valid UTF-8$/,
  /^its file is gone$/,
  /^it is (?:a|an|no|not) [a-z ,]{1,40}$/,
  /^Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '[\w$]{1,40}'\)$/,
  /^[\w$.]{1,60} is not (?:a function|defined|iterable|a constructor)$/,
  /^Maximum call stack size exceeded$/,
];

/** Matches the process transport's errors about unstarted processes; they are stored without the program's path. */
const NOT_STARTED = /^The (?:program|working directory) \/?\S+ |^\S+ was not started: .+ \([A-Z0-9_]+\)$/s;

/**
 * Returns the part of an error's text that may be written to disk. A text that could quote a payload is replaced by a
 * general one (guarantees R55).
 */
export function knownError(message: string): string {
  if (KNOWN.some((known) => known.test(message))) return message;
  return NOT_STARTED.test(message) ? "it was not started" : "it threw; `--verbose` shows the text";
}
