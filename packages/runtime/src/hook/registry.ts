import { type Diagnostic, diagnose } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import type { Hook } from "./hook.ts";
import type { Instance, Register } from "./instance.ts";
import type { Lane, Plan, Station } from "./lane.ts";
import { seatingOf } from "./seating.ts";

/** Called for each hook that is added (`1`) or removed (`-1`), before `add` or `remove` returns. */
export type Watch = (hook: Hook, by: 1 | -1) => void;

/** The hooks per lane and event name: by instance, then in registration order. */
type Listed = Map<string, Map<string, Hook[]>>;

/** The maximum number of handlers for one event that one source may have in a lane. */
const MOST_OF_ONE = 1000;

/** The hooks of one session, and the plan for each event. */
export class Registry implements Register {
  readonly #lanes: readonly Lane[];
  readonly #catalog: ReadonlyMap<string, CatalogRow>;
  readonly #report: (diagnostic: Diagnostic) => void;
  #watch: Watch | undefined;
  readonly #inShadow: (hook: Hook) => boolean;
  /**
   * The registered hooks. A live lane's list is changed in place, so that a running dispatch sees additions at once.
   * Any other change makes a new list, and a running dispatch keeps the old one.
   */
  readonly #hooks: Listed = new Map();
  readonly #shadows: Listed = new Map();
  readonly #live = new Set<string>();
  /** The sources and events that were already reported for having too many handlers. */
  readonly #told = new Set<string>();
  /** Each instance's position in the order of registration. */
  readonly #ranks = new WeakMap<Instance, number>();
  #seated = 0;
  #additions = 0;
  /** The plan of each catalog event; `null` if the event has no hooks. */
  readonly #plans = new Map<string, Plan | null>();
  #isClosed = false;

  constructor(
    lanes: readonly Lane[],
    catalog: ReadonlyMap<string, CatalogRow>,
    report: (diagnostic: Diagnostic) => void,
    inShadow: (hook: Hook) => boolean = () => false,
  ) {
    this.#inShadow = inShadow;
    this.#lanes = lanes;
    this.#catalog = catalog;
    this.#report = report;
    for (const event of catalog.keys()) this.#plans.set(event, null);
    for (const lane of lanes) {
      this.#hooks.set(lane.id, new Map());
      this.#shadows.set(lane.id, new Map());
      if (lane.live) this.#live.add(lane.id);
    }
  }

  /** Calls `watch` for every hook that is added or removed from now on; replaces an earlier watcher. */
  watch(watch: Watch): void {
    this.#watch = watch;
  }

  /** Returns the plan of a catalog event; `undefined` if the event has no hooks. */
  plan(event: string): Plan | undefined {
    return this.#plans.get(event) ?? undefined;
  }

  /**
   * Returns the same as `plan` in a single look-up, which is all that an event without hooks costs: `null` means no
   * hooks, `undefined` no such event.
   */
  planned(event: string): Plan | null | undefined {
    return this.#plans.get(event);
  }

  /** The number of hooks that have been registered so far. */
  get additions(): number {
    return this.#additions;
  }

  /** Returns whether a hook is in shadow: asked after the decision, without effect. */
  isShadow(hook: Hook): boolean {
    return this.#inShadow(hook);
  }

  /** Returns which of a definition's hooks are in shadow. */
  shadowOf(hooks: readonly Hook[]): "all" | readonly Hook[] {
    const shadowed = hooks.filter((hook) => this.#inShadow(hook));
    return shadowed.length > 0 && shadowed.length === hooks.length ? "all" : shadowed;
  }

  /**
   * Returns an instance's position in the order of registration. The first call assigns the next free position,
   * whenever the instance adds hooks later.
   */
  seat(instance: Instance): number {
    const known = this.#ranks.get(instance);
    if (known !== undefined) return known;
    this.#ranks.set(instance, this.#seated);
    return this.#seated++;
  }

  add(laneId: string, hook: Hook): void {
    const isShadow = this.#inShadow(hook);
    const events = (isShadow ? this.#shadows : this.#hooks).get(laneId);
    if (events === undefined) return;
    const hooks = events.get(hook.event) ?? [];
    const rank = this.seat(hook.instance);
    const at = hooks.findLastIndex(({ instance }) => this.seat(instance) <= rank) + 1;
    // A handler that adds another one on each call would never stop: a live lane would walk a list that keeps growing,
    // and any other lane would double its handlers at each event (R34).
    const own = hooks.length < MOST_OF_ONE ? 0 : hooks.filter(({ instance }) => instance === hook.instance).length;
    if (own >= MOST_OF_ONE) {
      this.#tooMany(hook);
      return;
    }
    if (hooks.length > 0 && this.#live.has(laneId) && !isShadow) {
      hooks.splice(at, 0, hook);
    } else {
      events.set(hook.event, hooks.toSpliced(at, 0, hook));
      this.#replan(laneId, hook.event);
    }
    this.#additions += 1;
    this.#watch?.(hook, 1);
  }

  remove(laneId: string, hook: Hook): void {
    const events = (this.#inShadow(hook) ? this.#shadows : this.#hooks).get(laneId);
    const hooks = events?.get(hook.event);
    if (events === undefined || hooks === undefined) return;
    const left = hooks.filter((other) => other !== hook);
    if (left.length === hooks.length) return;
    // The watcher may register a stand-in, which must happen before the hook is gone.
    this.#watch?.(hook, -1);
    if (left.length === 0) events.delete(hook.event);
    else events.set(hook.event, left);
    this.#replan(laneId, hook.event);
  }

  report(diagnostic: Diagnostic): void {
    this.#report(diagnostic);
  }

  /**
   * From now on, an event whose hooks decide something keeps its plan, even if its last hook is removed: an event
   * without hooks counts as allowed.
   */
  close(): void {
    this.#isClosed = true;
  }

  #stays({ name, kind }: CatalogRow): boolean {
    return kind !== "observe" && kind !== "shutdown" && this.plan(name)?.stations[0] !== undefined;
  }

  /** Yields every hook in lane order, for reports; in each lane those in shadow are last. */
  *all(): Generator<{ readonly lane: Lane; readonly hook: Hook }> {
    for (const lane of this.#lanes)
      for (const listed of [this.#hooks, this.#shadows])
        for (const hooks of listed.get(lane.id)?.values() ?? []) for (const hook of hooks) yield { lane, hook };
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
      if (row === undefined || (this.#isClosed && this.#stays(row))) continue;
      const stations = this.#stationsOf(this.#hooks, event);
      const shadows = this.#stationsOf(this.#shadows, event);
      const shadow = shadows.length === 0 ? undefined : { row, stations: shadows };
      const isNobody = stations.length === 0 && shadow === undefined;
      this.#plans.set(event, isNobody ? null : { row, stations, shadow });
    }
  }

  #stationsOf(listed: Listed, event: string): Station[] {
    const stations: Station[] = [];
    for (const { lane, row } of seatingOf(this.#lanes).seatsOf(event)) {
      const hooks = listed.get(lane.id)?.get(row.name);
      if (hooks !== undefined) stations.push({ lane, row, hooks });
    }
    return stations;
  }
}
