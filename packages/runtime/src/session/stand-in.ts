import { catalog } from "../catalog/catalog.ts";
import type { Missing } from "../config/admission.ts";
import type { Expected } from "../config/expected.ts";
import { IN_SHADOW, isOf, type Presence } from "../config/presence.ts";
import type { Hook } from "../hook/hook.ts";
import { Instance } from "../hook/instance.ts";
import type { Lane, LaneRow } from "../hook/lane.ts";
import type { Registry } from "../hook/registry.ts";
import { sameView } from "../run/library.ts";

/** The lane of stand-ins: always first, and unaffected by any setting or flag. */
export const STAND_IN_LANE = "required";

/** The name of the stand-in for all hooks together while they are being loaded. */
export const WHILE_LOADING = "hooks that are being loaded";

/** Returns the lane of stand-ins, for the events that are refused while a required hook is absent. */
export function standInLane(): Lane {
  const rows: LaneRow[] = [];
  for (const row of catalog.values())
    if (row.standIn !== undefined) rows.push({ ...row, of: row.name, view: sameView });
  return { id: STAND_IN_LANE, rows, isolate: false, live: false };
}

/** The required hooks, and the parts of the session in which stand-ins replace them. */
export interface StandInParts {
  readonly expected: readonly Expected[];
  readonly registry: Registry;
  readonly lanes: readonly Lane[];
  /** Whether calls are refused while there is no guard at all. */
  readonly needsGuard: boolean;
  /** Returns a path with all links resolved. */
  real(path: string): string;
}

const LOADING: Presence = { fault: "the hooks are still being loaded", on: "guard" };
const NO_GUARD: Presence = { fault: "none is loaded, and `refuseWithoutGuards` is set", on: "guard" };
const NO_HANDLER = "it was loaded, but no handler of it is registered";

/**
 * Replaces every required hook that does not run by a stand-in. It refuses the calls that the hook may have guarded. At
 * every await, each required hook has a live handler or a stand-in, so that no call slips through (rulings 54 and 76).
 */
export class StandIns {
  readonly #parts: StandInParts;
  #places: readonly ExpectedState[];
  /** Refuses calls while hooks are loading, before it is known which hooks there are. */
  readonly #loading = new StandIn();
  readonly #live = new Map<string, Set<Hook>>();
  /** The registered hooks in shadow, which decide nothing, by path. */
  readonly #shadowed = new Map<string, Set<Hook>>();
  readonly #real = new Map<string, string>();
  /** Refuses calls while no guard is loaded, if the setting `refuseWithoutGuards` is on. */
  readonly #anyGuard = new StandIn();
  readonly #guards = new Set<Hook>();

  constructor(parts: StandInParts) {
    this.#parts = parts;
    this.#places = parts.expected.map(placeOf);
    if (parts.expected.length > 0 || parts.needsGuard) parts.registry.watch((hook, by) => this.#counted(hook, by));
    if (parts.needsGuard) this.#updateGuard();
  }

  /** Adds hooks that are expected from now on. */
  expect(more: readonly Expected[]): void {
    const known = new Set(this.#places.map(({ expected }) => expected.name));
    const added = more.filter(({ name }) => !known.has(name));
    this.#places = [...this.#places, ...added.map(placeOf)];
  }

  /** Registers every stand-in; call it before anything is loaded or released. */
  begin(): void {
    this.#loading.put(WHILE_LOADING, LOADING, this.#parts.registry);
    for (const place of this.#places) {
      place.presence = LOADING;
      this.#update(place);
    }
  }

  /** Removes, after a load, the stand-ins of required hooks that now run without a fault. */
  end(presenceOf: (expected: Expected) => Presence): void {
    for (const place of this.#places) {
      place.presence = presenceOf(place.expected);
      this.#update(place);
    }
    this.#loading.withdraw();
  }

  /** Removes the stand-in of one hook, because a person continues without the hook. */
  excuse(name: string): void {
    for (const place of this.#places) {
      if (place.expected.name !== name) continue;
      place.excused = true;
      this.#update(place);
    }
  }

  /** Returns expected hooks that do not run now, with the reason; not those that a person continues without. */
  missing(): readonly Missing[] {
    return this.#places.flatMap((place) => {
      const cause = place.excused ? undefined : this.#causeOf(place);
      const { expected, presence } = place;
      if (cause === undefined) return [];
      return [{ expected, cause, on: presence.on, isPending: presence.fault === undefined }];
    });
  }

  #counted(hook: Hook, by: 1 | -1): void {
    if (hook.instance.lane === STAND_IN_LANE) return;
    if (this.#parts.needsGuard && this.#isGuard(hook)) {
      if (by === 1) this.#guards.add(hook);
      else this.#guards.delete(hook);
      this.#updateGuard();
    }
    const path = this.#realOf(hook.source.path);
    const counted = this.#parts.registry.isShadow(hook) ? this.#shadowed : this.#live;
    const live = counted.get(path) ?? new Set();
    counted.set(path, live);
    if (by === 1) live.add(hook);
    else live.delete(hook);
    // If the file has a fault, the stand-in stays, whatever is registered.
    for (const place of this.#places)
      if (place.presence.fault === undefined && this.#pathsOf(place).includes(path)) this.#update(place);
  }

  #updateGuard(): void {
    if (this.#guards.size > 0) this.#anyGuard.withdraw();
    else this.#anyGuard.put("a guard", NO_GUARD, this.#parts.registry);
  }

  /** Returns whether a hook decides about tool calls; hooks in shadow do not. */
  #isGuard(hook: Hook): boolean {
    const { lanes, registry } = this.#parts;
    const rows = lanes.find(({ id }) => id === hook.instance.lane)?.rows ?? [];
    const judges = rows.some(({ name, of, kind }) => name === hook.event && of === "tool.before" && kind === "guard");
    return judges && !registry.isShadow(hook);
  }

  #update(place: ExpectedState): void {
    const cause = place.excused ? undefined : this.#causeOf(place);
    if (cause === undefined) place.standIn.withdraw();
    else place.standIn.put(place.expected.name, { fault: cause, on: place.presence.on }, this.#parts.registry);
  }

  #causeOf(place: ExpectedState): string | undefined {
    const { expected, presence } = place;
    if (presence.fault !== undefined) return presence.fault;
    if (expected.needs === "load") return undefined;
    const has = (all: ReadonlyMap<string, ReadonlySet<Hook>>): boolean => {
      for (const path of this.#pathsOf(place))
        for (const { event, instance } of all.get(path) ?? [])
          if (isOf(expected, instance.lane, event, this.#parts.lanes)) return true;
      return false;
    };
    if (expected.entry === undefined && has(this.#shadowed)) return `it ${IN_SHADOW}`;
    return has(this.#live) ? undefined : NO_HANDLER;
  }

  /** Returns the path of an expected hook, and that of an identical copy if the copy runs instead. */
  #pathsOf({ expected, presence }: ExpectedState): string[] {
    return [expected.path, presence.twin].flatMap((path) => (path === undefined ? [] : [this.#realOf(path)]));
  }

  #realOf(path: string): string {
    const known = this.#real.get(path) ?? this.#parts.real(path);
    this.#real.set(path, known);
    return known;
  }
}

interface ExpectedState {
  readonly expected: Expected;
  readonly standIn: StandIn;
  presence: Presence;
  excused: boolean;
}

function placeOf(expected: Expected): ExpectedState {
  return { expected, standIn: new StandIn(), presence: LOADING, excused: false };
}

/** The handlers that refuse on behalf of one absent hook. */
class StandIn {
  #instance: Instance | undefined;
  #shown = "";

  put(name: string, { fault = "", on }: Presence, registry: Registry): void {
    const shown = `${on} ${fault}`;
    if (this.#instance !== undefined && this.#shown === shown) return;
    const next = new Instance(STAND_IN_LANE, { path: name, tier: "builtin" }, registry);
    const reason = `${name} must run, but does not: ${fault}. \`hookline hooks\` shows more.`;
    for (const { name: event, standIn } of catalog.values())
      if (standIn?.for === on) next.on({ event, run: () => standIn.refuse(reason) });
    // The new instance is registered before the old one is removed, so that calls are refused at all times.
    this.withdraw();
    this.#instance = next;
    this.#shown = shown;
  }

  withdraw(): void {
    this.#instance?.dispose();
    this.#instance = undefined;
  }
}
