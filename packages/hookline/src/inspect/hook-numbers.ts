import type { HookAsked, HookRow } from "./api.ts";
import type { Facts } from "./facts.ts";
import type { ShadowAnswer } from "./later.ts";

/** Times are counted in classes, each 2 % longer than the last, so a hook needs only a few hundred counters. */
const STEP = Math.log(1.02);
/** Shorter times are counted as this time, in ms. */
const LEAST = 0.001;

interface Counted {
  readonly id: string;
  lane: string;
  source: string;
  readonly events: Map<string, number>;
  readonly times: Map<number, number>;
  asked: number;
  answered: number;
  refused: number;
  edited: number;
  failed: number;
  timedOut: number;
  skipped: number;
  timed: number;
  totalMs: number;
  shadow: boolean;
  readonly would: { deny: number; ask: number; edit: number };
}

/** Counts the actions of a source's hooks while its moments are read. */
export class HookNumbers {
  readonly #hooks = new Map<string, Counted>();

  add({ event, hooks, editors, refusers }: Facts): void {
    const seen = new Set<string>();
    for (const hook of hooks) {
      const counted = this.#of(hook);
      count(counted, hook);
      if (seen.has(hook.id)) continue;
      seen.add(hook.id);
      counted.events.set(event, (counted.events.get(event) ?? 0) + 1);
      if (refusers.includes(hook.id)) counted.refused += 1;
      if (editors.includes(hook.id)) counted.edited += 1;
    }
  }

  /** Counts the answer of a hook in shadow about a moment that was counted earlier. */
  addShadow(answer: ShadowAnswer): void {
    const counted = this.#hooks.get(answer.id);
    if (counted !== undefined) countAnswer(counted, { ...answer, shadow: true });
  }

  /** Returns a row for each hook, the longest total time first. `spanMs` lasts from the first to the last moment. */
  rows(spanMs: number): HookRow[] {
    return [...this.#hooks.values()]
      .map(({ events, times, timed, totalMs, would, ...hook }): HookRow => {
        const sorted = [...times].sort(([a], [b]) => a - b);
        return {
          ...hook,
          ...(hook.shadow && { would: { ...would } }),
          events: Object.fromEntries(events),
          ...(timed > 0 && { p50: percentile(sorted, timed, 0.5), p99: percentile(sorted, timed, 0.99) }),
          totalMs: rounded(totalMs),
          share: spanMs > 0 ? Math.min(1, totalMs / spanMs) : 0,
        };
      })
      .sort((a, b) => b.totalMs - a.totalMs || b.asked - a.asked);
  }

  /** The number of times each hook was asked, by id. */
  get asked(): ReadonlyMap<string, number> {
    return new Map([...this.#hooks].map(([id, { asked }]) => [id, asked]));
  }

  /** The `file:line` of each hook, by its id. */
  get places(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#hooks.values()].map(({ id, source }) => [id, source]));
  }

  /** The number of hooks that answered, edited, failed or timed out. */
  get acted(): number {
    const did = [...this.#hooks.values()].map((hook) => hook.answered + hook.edited + hook.failed + hook.timedOut);
    return did.filter((times) => times > 0).length;
  }

  /** Maps events to their names in the hooks' format, such as `tool.before` to `PreToolUse`; empty if formats mix. */
  get names(): Readonly<Record<string, string>> {
    const hooks = [...this.#hooks.values()];
    if (new Set(hooks.map(({ lane }) => lane)).size !== 1) return {};
    const named = hooks.flatMap(({ id, events }) => {
      const [name] = /[^#/]+$/.exec(id.replace(/\[\d+\]$/, "")) ?? [];
      return name === undefined ? [] : [...events.keys()].map((event) => [event, name] as const);
    });
    return Object.fromEntries(named.filter(([event, name]) => event !== name));
  }

  #of({ id, lane, source }: HookAsked): Counted {
    const known = this.#hooks.get(id);
    if (known !== undefined) {
      known.source = source;
      return known;
    }
    const zero = {
      asked: 0,
      answered: 0,
      refused: 0,
      edited: 0,
      failed: 0,
      timedOut: 0,
      skipped: 0,
      timed: 0,
      totalMs: 0,
    };
    const would = { deny: 0, ask: 0, edit: 0 };
    const fresh: Counted = { id, lane, source, events: new Map(), times: new Map(), shadow: false, would, ...zero };
    this.#hooks.set(id, fresh);
    return fresh;
  }
}

function count(counted: Counted, hook: HookAsked): void {
  if (hook.shadow === true) counted.shadow = true;
  if (hook.status === "skipped" || hook.status === "not-reached") {
    counted.skipped += 1;
    return;
  }
  counted.asked += 1;
  countAnswer(counted, hook);
}

/** Counts one answer. The time of a hook in shadow is not added to the total, because nothing waits for it. */
function countAnswer(
  counted: Counted,
  { status, ms, shadow, would }: Pick<HookAsked, "status" | "ms" | "shadow" | "would">,
): void {
  if (would !== undefined) counted.would[would] += 1;
  if (status === "answered") counted.answered += 1;
  if (status === "failed") counted.failed += 1;
  if (status === "timed-out") counted.timedOut += 1;
  if (typeof ms !== "number" || !Number.isFinite(ms)) return;
  const step = Math.round(Math.log(Math.max(ms, LEAST)) / STEP);
  counted.times.set(step, (counted.times.get(step) ?? 0) + 1);
  counted.timed += 1;
  if (shadow !== true) counted.totalMs += ms;
}

function percentile(sorted: readonly (readonly [number, number])[], all: number, part: number): number {
  let left = Math.ceil(all * part);
  for (const [step, times] of sorted) {
    left -= times;
    if (left <= 0) return rounded(Math.exp(step * STEP));
  }
  return 0;
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
