import { diagnose, TIER_RANK } from "@hookline/ground";
import type { Instance } from "./instance.ts";

/** The kind of thing that a module adds besides hooks, such as a tool, a command or an MCP server. */
export type ContributionKind =
  | "tool"
  | "command"
  | "flag"
  | "shortcut"
  | "message-renderer"
  | "entry-renderer"
  | "markdown-transformer"
  | "tool-renderer"
  | "provider"
  | "server"
  | "exclusion"
  | "text";

/**
 * The contribution that gets a name within one lane and tier: the first, the last, or all of them, with later ones as
 * `name:2`, `name:3`.
 */
export type Conflict = "first" | "last" | "suffix";

/** A tool, command or other thing that a module adds under a name, `key`. */
export interface Contribution<T = unknown> {
  readonly kind: ContributionKind;
  readonly key: string;
  readonly value: T;
  readonly instance: Instance;
}

interface Held extends Contribution {
  readonly conflict: Conflict;
  /** Removes the contribution from its instance. */
  release(): void;
}

/**
 * The things that one session's modules add besides hooks. A name belongs to the highest tier that adds it (ruling
 * 84). Within a tier and a lane the dialect's rule decides; across lanes the first lane wins. Losers are reported and
 * cannot be reached, except with `suffix`.
 */
export class Contributions {
  readonly #laneOrder: readonly string[];
  #held: Held[] = [];
  readonly #listeners = new Set<(kind: ContributionKind) => void>();

  constructor(laneOrder: readonly string[]) {
    this.#laneOrder = laneOrder;
  }

  /**
   * Adds a contribution and returns a function that removes it, which the instance also calls when it is disposed. An
   * instance's new contribution replaces its earlier one of the same name.
   */
  add(kind: ContributionKind, key: string, value: unknown, instance: Instance, conflict: Conflict): () => void {
    instance.use();
    const other = this.#held.find((held) => held.kind === kind && held.key === key && held.instance !== instance);
    if (other !== undefined && conflict !== "suffix") {
      const [winner, loser] = isTaken(conflict, instance, other.instance)
        ? [instance, other.instance]
        : [other.instance, instance];
      instance.report(
        diagnose(
          "DUPLICATE",
          { kind, key, path: loser.source.path, other: winner.source.path },
          { source: loser.source },
        ),
      );
    }
    const before = this.#held.find((held) => held.kind === kind && held.key === key && held.instance === instance);
    if (before !== undefined) this.#drop(before);
    const undo = (): void => {
      this.#drop(own);
      this.#tell(kind);
    };
    const own: Held = { kind, key, value, instance, conflict, release: instance.own(undo) };
    this.#held.push(own);
    this.#tell(kind);
    return undo;
  }

  /** Returns the contributions of a kind that can be used, by the name under which each can be used, in lane order. */
  all<T = unknown>(kind: ContributionKind): ReadonlyMap<string, Contribution<T>> {
    const reached = new Map<string, Held>();
    const lanes = [
      ...this.#laneOrder,
      ...new Set(this.#held.map((held) => held.instance.lane).filter((lane) => !this.#laneOrder.includes(lane))),
    ];
    for (const lane of lanes) {
      for (const held of this.#held) {
        if (held.kind !== kind || held.instance.lane !== lane) continue;
        const other = reached.get(held.key);
        if (other === undefined) reached.set(held.key, held);
        else {
          const takes = isTaken(held.conflict, held.instance, other.instance);
          if (takes) reached.set(held.key, held);
          if (held.conflict !== "suffix") continue;
          let n = 2;
          while (reached.has(`${held.key}:${n}`)) n += 1;
          reached.set(`${held.key}:${n}`, takes ? other : held);
        }
      }
    }
    return reached as unknown as ReadonlyMap<string, Contribution<T>>;
  }

  /** Calls `changed` whenever contributions of a kind change; returns a function that stops it. */
  watch(changed: (kind: ContributionKind) => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  /** Removes a contribution; not a closure of `add`, which would live on and keep all of `add`'s variables alive. */
  #drop(own: Held): void {
    own.release();
    this.#held = this.#held.filter((held) => held !== own);
  }

  #tell(kind: ContributionKind): void {
    for (const listener of [...this.#listeners]) listener(kind);
  }
}

/** Returns whether a later contribution takes the name of an earlier one. */
function isTaken(conflict: Conflict, later: Instance, earlier: Instance): boolean {
  const order = TIER_RANK[later.source.tier] - TIER_RANK[earlier.source.tier];
  return order === 0 ? conflict === "last" && later.lane === earlier.lane : order < 0;
}
