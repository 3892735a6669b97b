import type { Class, NotJudged } from "./compare.ts";
import { CLASSES } from "./compare.ts";
import type { Moment, NotAsked, ShadowRun } from "./moment.ts";
import type { Baseline, Example, Group, ReplayResult, ShadowResult, SourceResult } from "./result.ts";

const EXAMPLES = 3;
/** The number of separate groups for one source file. Later ones are joined per hook and class, with the shape `…`. */
const MOST_GROUPS = 5000;

const NO_SHADOW = { asked: 0, wouldDeny: 0, wouldAsk: 0, wouldEdit: 0, failed: 0, examples: [] };
const WOULD = { deny: "wouldDeny", ask: "wouldAsk", edit: "wouldEdit" } as const;

/** A table of counts by name. */
export type Counts = Record<string, number>;

/** Adds to one of the counts. */
export function count(counts: Counts, name: string, by = 1): void {
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] as number) : 0) + by;
}

/** Counts the results of one source file. */
export class Tally {
  readonly moments: Counts = {};
  readonly skipped: Counts = {};
  readonly notAsked: Counts = {};
  readonly notJudged: Counts = {};
  readonly effects: Counts = {};
  readonly classes: Counts = {};
  readonly madeUp: string[] = [];
  all = 0;
  payloads = 0;
  asked = 0;
  from = 0;
  to = 0;
  readonly shadow = new Map<string, { -readonly [K in keyof ShadowResult]: ShadowResult[K] }>();
  readonly #groups = new Map<string, { -readonly [K in keyof Group]: Group[K] }>();

  /** Counts a moment, whatever its result. */
  moment({ event, t, payload }: Pick<Moment, "event" | "t" | "payload">): void {
    this.all += 1;
    if (payload !== undefined) this.payloads += 1;
    if (event !== "") count(this.moments, event);
    if (t === 0) return;
    if (this.from === 0 || t < this.from) this.from = t;
    if (t > this.to) this.to = t;
  }

  /** Counts the answer of a hook in shadow at a moment. */
  inShadow({ hook, status, would }: ShadowRun, moment: string): void {
    if (status === "skipped" || status === "not-reached") return;
    const one = this.shadow.get(hook) ?? { ...NO_SHADOW, hook };
    this.shadow.set(hook, one);
    one.asked += 1;
    if (status === "failed" || status === "timed-out") one.failed += 1;
    if (would === undefined) return;
    one[WOULD[would]] += 1;
    if (one.examples.length < EXAMPLES) one.examples = [...one.examples, moment];
  }

  left(reason: NotAsked): void {
    count(this.notAsked, reason);
  }

  unjudged(reason: NotJudged): void {
    this.asked += 1;
    count(this.notJudged, reason);
  }

  judged(name: Class): void {
    this.asked += 1;
    count(this.classes, name);
  }

  /** Adds a moment that differs to its group; `example` is called for the first ones only. */
  group(of: Pick<Group, "hook" | "class" | "shape">, example: () => Example): void {
    const isFull = this.#groups.size >= MOST_GROUPS;
    const named = `${of.hook}\0${of.class}\0${of.shape}`;
    const shape = isFull && !this.#groups.has(named) ? "…" : of.shape;
    const key = `${of.hook}\0${of.class}\0${shape}`;
    const group = this.#groups.get(key) ?? { ...of, shape, count: 0, examples: [] };
    this.#groups.set(key, group);
    group.count += 1;
    if (group.examples.length < EXAMPLES) group.examples = [...group.examples, example()];
  }

  get groups(): readonly Group[] {
    return [...this.#groups.values()];
  }
}

/** Combines the tallies of all source files, in order, into the result of the replay. */
export function resultOf(
  sources: readonly {
    readonly about: Pick<SourceResult, "id" | "path" | "kind" | "machine" | "baseline">;
    readonly tally: Tally;
  }[],
  partial: boolean,
): ReplayResult {
  const total = new Tally();
  const groups = new Map<string, Group>();
  const shadow = new Map<string, ShadowResult>();
  for (const { tally } of sources) {
    total.all += tally.all;
    total.asked += tally.asked;
    for (const part of ["notAsked", "notJudged", "effects", "classes"] as const)
      for (const [name, by] of Object.entries(tally[part])) count(total[part], name, by);
    for (const one of tally.shadow.values()) shadow.set(one.hook, sumOf(shadow.get(one.hook), one));
    for (const group of tally.groups) {
      const key = `${group.hook}\0${group.class}\0${group.shape}`;
      const { count: before, examples } = groups.get(key) ?? { count: 0, examples: [] };
      groups.set(key, {
        ...group,
        count: before + group.count,
        examples: [...examples, ...group.examples].slice(0, EXAMPLES),
      });
    }
  }
  const baselines = new Set(sources.map(({ about }) => about.baseline));
  const [only] = baselines;
  const classes = Object.fromEntries(CLASSES.map((name) => [name, total.classes[name] ?? 0])) as Record<Class, number>;
  return {
    v: 1,
    partial,
    baseline: baselines.size > 1 ? "mixed" : ((only ?? "none") satisfies Baseline),
    sources: sources.map(({ about, tally: { from, to, moments, payloads, skipped, madeUp } }) => ({
      ...about,
      from,
      to,
      moments,
      payloads,
      skipped,
      madeUp,
    })),
    moments: total.all,
    asked: total.asked,
    ...classes,
    notJudged: total.notJudged,
    notAsked: total.notAsked,
    effects: total.effects,
    failed: [],
    groups: [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.count - a.count || (a.shape < b.shape ? -1 : 1)),
    shadow: [...shadow.values()],
  };
}

function sumOf(before: ShadowResult | undefined, one: ShadowResult): ShadowResult {
  if (before === undefined) return one;
  return {
    hook: one.hook,
    asked: before.asked + one.asked,
    wouldDeny: before.wouldDeny + one.wouldDeny,
    wouldAsk: before.wouldAsk + one.wouldAsk,
    wouldEdit: before.wouldEdit + one.wouldEdit,
    failed: before.failed + one.failed,
    examples: [...before.examples, ...one.examples].slice(0, EXAMPLES),
  };
}

function rank({ class: name }: Group): number {
  return CLASSES.indexOf(name);
}
