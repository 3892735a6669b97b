import type { CatalogRow } from "../catalog/row.ts";
import { type Diagnostic, diagnose } from "../error/diagnostic.ts";
import type { Hook } from "./hook.ts";
import type { Instance, Register } from "./instance.ts";
import type { Lane, Plan, Station } from "./lane.ts";
import { seatingOf } from "./seating.ts";

/** Is told of each hook that comes or goes, in the same step. */
export type Watch = (hook: Hook, by: 1 | -1) => void;

/** The most handlers of one event that one source may have in a lane. */
const MOST_OF_ONE = 1000;

/** The hooks of one session: who is registered, and the plan for each event. */
export class Registry implements Register {
  readonly #lanes: readonly Lane[];
  readonly #catalog: ReadonlyMap<string, CatalogRow>;
  readonly #report: (diagnostic: Diagnostic) => void;
  #watch: Watch | undefined;
  /**
   * Per lane and event name: by instance, then in registration order. A live lane's list grows in place, so that a
   * dispatch sees additions at once; any other change makes a new list, and a dispatch keeps those that it started with.
   */
  readonly #hooks = new Map<string, Map<string, Hook[]>>();
  readonly #live = new Set<string>();
  /** Sources and events that were told to have too many handlers. */
  readonly #told = new Set<string>();
  /** The instances in the order in which they came. */
  readonly #ranks = new WeakMap<Instance, number>();
  #seated = 0;
  /** By event of the catalog; `null` where nobody listens. */
  readonly #plans = new Map<string, Plan | null>();

  constructor(
    lanes: readonly Lane[],
    catalog: ReadonlyMap<string, CatalogRow>,
    report: (diagnostic: Diagnostic) => void,
  ) {
    this.#lanes = lanes;
    this.#catalog = catalog;
    this.#report = report;
    for (const event of catalog.keys()) this.#plans.set(event, null);
    for (const lane of lanes) {
      this.#hooks.set(lane.id, new Map());
      if (lane.live) this.#live.add(lane.id);
    }
  }

  /** Has one listener told of every hook from now on. */
  watch(watch: Watch): void {
    this.#watch = watch;
  }

  /** The plan of a catalog event; `undefined` when nobody listens. */
  plan(event: string): Plan | undefined {
    return this.#plans.get(event) ?? undefined;
  }

  /** The same in the one look-up that an event without listeners costs: `null` is nobody, `undefined` no such event. */
  planned(event: string): Plan | null | undefined {
    return this.#plans.get(event);
  }

  /** Gives an instance its place behind those that came before it, whenever its hooks come. */
  seat(instance: Instance): number {
    const known = this.#ranks.get(instance);
    if (known !== undefined) return known;
    this.#ranks.set(instance, this.#seated);
    return this.#seated++;
  }

  add(laneId: string, hook: Hook): void {
    const events = this.#hooks.get(laneId);
    if (events === undefined) return;
    const hooks = events.get(hook.event) ?? [];
    const rank = this.seat(hook.instance);
    const at = hooks.findLastIndex(({ instance }) => this.seat(instance) <= rank) + 1;
    // A handler that adds another each time it is called has no end: a live lane would walk a list that grows before
    // it, and any other would have twice as many at each event (R34).
    const own = hooks.length < MOST_OF_ONE ? 0 : hooks.filter(({ instance }) => instance === hook.instance).length;
    if (own >= MOST_OF_ONE) {
      this.#tooMany(hook);
      return;
    }
    if (hooks.length > 0 && this.#live.has(laneId)) {
      hooks.splice(at, 0, hook);
    } else {
      events.set(hook.event, hooks.toSpliced(at, 0, hook));
      this.#replan(laneId, hook.event);
    }
    this.#watch?.(hook, 1);
  }

  remove(laneId: string, hook: Hook): void {
    const events = this.#hooks.get(laneId);
    const hooks = events?.get(hook.event);
    if (events === undefined || hooks === undefined) return;
    const left = hooks.filter((other) => other !== hook);
    if (left.length === hooks.length) return;
    // Who stands in for it is there before it goes.
    this.#watch?.(hook, -1);
    if (left.length === 0) events.delete(hook.event);
    else events.set(hook.event, left);
    this.#replan(laneId, hook.event);
  }

  report(diagnostic: Diagnostic): void {
    this.#report(diagnostic);
  }

  /** Every hook in lane order, for reports. */
  *all(): Generator<{ readonly lane: Lane; readonly hook: Hook }> {
    for (const lane of this.#lanes)
      for (const hooks of this.#hooks.get(lane.id)?.values() ?? []) for (const hook of hooks) yield { lane, hook };
  }

  #tooMany({ id, event, source }: Hook): void {
    const key = `${source.path} ${event}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const details = { path: source.path, event, count: MOST_OF_ONE };
    this.#report(diagnose("TOO_MANY_HANDLERS", details, { source, hook: id, event }));
  }

  #replan(laneId: string, name: string): void {
    const seating = seatingOf(this.#lanes);
    for (const event of seating.eventsOf(laneId, name)) {
      const row = this.#catalog.get(event);
      if (row === undefined) continue;
      const stations: Station[] = [];
      for (const { lane, row: own } of seating.seatsOf(event)) {
        const hooks = this.#hooks.get(lane.id)?.get(own.name);
        if (hooks !== undefined) stations.push({ lane, row: own, hooks });
      }
      this.#plans.set(event, stations.length === 0 ? null : { row, stations });
    }
  }
}
