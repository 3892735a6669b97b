import { copyOf, same } from "./same.ts";

/** The number of earlier lists that are compared with a new one, to write only the items that were added. */
const MAX_LISTS = 32;

interface KnownList {
  /** Private copies of the items, because the host keeps changing the last one while a reply streams. */
  readonly items: unknown[];
  /** The length of each item's text. */
  readonly sizes: number[];
  at: number;
}

/** An earlier list that begins like a new one. */
export interface Start {
  readonly list: KnownList;
  /** The number of items that both lists begin with. */
  readonly keep: number;
}

/** One of two generations of remembered values. When the young one is full it becomes the old one. */
interface Generation {
  /** The offset of each value's line: in `texts` by the text, in `values` by the JSON of an object or list. */
  readonly texts: Map<string, number>;
  readonly values: Map<string, number>;
  readonly lists: KnownList[];
  cost: number;
}

/** Remembers the offsets of written values. The oldest are forgotten, and are written again if they occur again. */
export class Table {
  readonly #maxCost: number;
  #young = generation();
  #old = generation();

  /** Remembers written values of at most `maxChars` characters in total. */
  constructor(maxChars: number) {
    this.#maxCost = maxChars / 2;
  }

  find(kind: "texts" | "values", key: string): number | undefined {
    const found = this.#young[kind].get(key);
    if (found !== undefined) return found;
    const old = this.#old[kind].get(key);
    if (old !== undefined) this.add(kind, key, old);
    return old;
  }

  add(kind: "texts" | "values", key: string, at: number): void {
    this.#young[kind].set(key, at);
    this.#spend(key.length);
  }

  /** Finds the earlier list that has the most leading items in common with this one. */
  start(items: readonly unknown[]): Start | undefined {
    let best: Start | undefined;
    for (const { lists } of [this.#young, this.#old]) {
      for (let i = lists.length - 1; i >= 0; i--) {
        const list = lists[i] as KnownList;
        const keep = commonItems(items, list);
        if (keep > (best?.keep ?? 0)) best = { list, keep };
        if (keep === 0 || (keep < items.length && keep < list.items.length)) continue;
        // The list that was used last moves to the end, so that it is forgotten last.
        lists.push(...lists.splice(i, 1));
        return best;
      }
    }
    return best;
  }

  /** Remembers a list that was written; the items after those of `start` are new. */
  addList(at: number, start: Start | undefined, items: readonly unknown[], newSizes: readonly number[]): void {
    const keep = start?.keep ?? 0;
    const fresh = items.slice(keep).map(copyOf);
    const cost = newSizes.reduce((sum, size) => sum + size, 0);
    if (start !== undefined && keep === start.list.items.length && this.#young.lists.includes(start.list)) {
      const { list } = start;
      for (const item of fresh) list.items.push(item);
      for (const size of newSizes) list.sizes.push(size);
      list.at = at;
      this.#spend(cost);
      return;
    }
    const before = start?.list ?? NOTHING;
    const kept = before.sizes.slice(0, keep);
    const list: KnownList = {
      at,
      items: [...before.items.slice(0, keep), ...fresh],
      sizes: [...kept, ...newSizes],
    };
    this.#young.lists.push(list);
    if (this.#young.lists.length > MAX_LISTS) this.#young.lists.shift();
    this.#spend(kept.reduce((sum, size) => sum + size, cost));
  }

  #spend(cost: number): void {
    this.#young.cost += cost;
    if (this.#young.cost <= this.#maxCost) return;
    this.#old = this.#young;
    this.#young = generation();
  }
}

function generation(): Generation {
  return { texts: new Map(), values: new Map(), lists: [], cost: 0 };
}

function commonItems(items: readonly unknown[], known: KnownList): number {
  const most = Math.min(items.length, known.items.length);
  let i = 0;
  while (i < most && same(items[i], known.items[i])) i += 1;
  return i;
}

const NOTHING: Pick<KnownList, "items" | "sizes"> = { items: [], sizes: [] };
