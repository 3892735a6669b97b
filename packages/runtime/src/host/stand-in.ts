import { catalog } from "../catalog/catalog.ts";
import type { Missing } from "../config/admission.ts";
import type { Expected } from "../config/expected.ts";
import { isOf, type Presence } from "../config/presence.ts";
import type { Hook } from "../hook/hook.ts";
import { Instance } from "../hook/instance.ts";
import type { Lane, LaneRow } from "../hook/lane.ts";
import type { Registry } from "../hook/registry.ts";
import { sameView } from "../run/library.ts";

/** The lane of stand-ins: always the first, and out of reach of every setting and flag. */
export const STAND_IN_LANE = "required";

/** What stands in for everything that is found, before it is known what that is. */
export const WHILE_LOADING = "hooks that are being loaded";

/** The lane's table: the catalog's rows that say how the absence of a hook is answered. */
export function standInLane(): Lane {
  const rows: LaneRow[] = [];
  for (const row of catalog.values())
    if (row.standIn !== undefined) rows.push({ ...row, of: row.name, view: sameView });
  return { id: STAND_IN_LANE, rows, isolate: false, live: false };
}

/** What stand-ins need to know of their session. */
export interface StandInParts {
  readonly expected: readonly Expected[];
  readonly registry: Registry;
  readonly lanes: readonly Lane[];
  /** A path with all links resolved. */
  real(path: string): string;
}

const LOADING: Presence = { fault: "the hooks are still being loaded", on: "guard" };
const NO_HANDLER = "it was loaded, but no handler of it is registered";

/**
 * Stands in for every hook that must run and does not: refuses the calls that the absent hook may have guarded
 * (decisions 54 and 76). At every await either a live handler of an expected hook is registered or its stand-in.
 */
export class StandIns {
  readonly #parts: StandInParts;
  #places: readonly Place[];
  /** Stands for all that is found while hooks are loaded, before it is known what that is. */
  readonly #loading = new StandIn();
  readonly #live = new Map<string, Set<Hook>>();
  readonly #real = new Map<string, string>();

  constructor(parts: StandInParts) {
    this.#parts = parts;
    this.#places = parts.expected.map(placeOf);
    if (parts.expected.length > 0) parts.registry.watch((hook, by) => this.#counted(hook, by));
  }

  /** Expects more from now on, beside what is expected already. */
  expect(more: readonly Expected[]): void {
    const known = new Set(this.#places.map(({ expected }) => expected.name));
    const added = more.filter(({ name }) => !known.has(name));
    this.#places = [...this.#places, ...added.map(placeOf)];
  }

  /** Puts every stand-in in: to be called before anything is loaded or let go. */
  begin(): void {
    this.#loading.put(WHILE_LOADING, LOADING, this.#parts.registry);
    for (const place of this.#places) {
      place.presence = LOADING;
      this.#update(place);
    }
  }

  /** Withdraws the stand-ins of what runs whole, by what the load has come to. */
  end(presenceOf: (expected: Expected) => Presence): void {
    for (const place of this.#places) {
      place.presence = presenceOf(place.expected);
      this.#update(place);
    }
    this.#loading.withdraw();
  }

  /** A person goes on without one: nothing stands in for it any longer. */
  excuse(name: string): void {
    for (const place of this.#places) {
      if (place.expected.name !== name) continue;
      place.excused = true;
      this.#update(place);
    }
  }

  /** What does not run now, and why; what a person goes on without is not in it. */
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
    const path = this.#realOf(hook.source.path);
    const live = this.#live.get(path) ?? new Set();
    this.#live.set(path, live);
    if (by === 1) live.add(hook);
    else live.delete(hook);
    for (const place of this.#places) if (this.#pathsOf(place).includes(path)) this.#update(place);
  }

  #update(place: Place): void {
    const cause = place.excused ? undefined : this.#causeOf(place);
    if (cause === undefined) place.standIn.withdraw();
    else place.standIn.put(place.expected.name, { fault: cause, on: place.presence.on }, this.#parts.registry);
  }

  #causeOf(place: Place): string | undefined {
    const { expected, presence } = place;
    if (presence.fault !== undefined) return presence.fault;
    if (expected.needs === "load") return undefined;
    const hooks = this.#pathsOf(place).flatMap((path) => [...(this.#live.get(path) ?? [])]);
    return hooks.some(({ event, instance }) => isOf(expected, instance.lane, event, this.#parts.lanes))
      ? undefined
      : NO_HANDLER;
  }

  /** The expected path, and that of the identical copy that runs in its place. */
  #pathsOf({ expected, presence }: Place): string[] {
    return [expected.path, presence.twin].flatMap((path) => (path === undefined ? [] : [this.#realOf(path)]));
  }

  #realOf(path: string): string {
    const known = this.#real.get(path) ?? this.#parts.real(path);
    this.#real.set(path, known);
    return known;
  }
}

interface Place {
  readonly expected: Expected;
  readonly standIn: StandIn;
  presence: Presence;
  excused: boolean;
}

function placeOf(expected: Expected): Place {
  return { expected, standIn: new StandIn(), presence: LOADING, excused: false };
}

/** The handlers that refuse in the place of one absent hook. */
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
    // The new one is there before the old one goes.
    this.withdraw();
    this.#instance = next;
    this.#shown = shown;
  }

  withdraw(): void {
    this.#instance?.dispose();
    this.#instance = undefined;
  }
}
