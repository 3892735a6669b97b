import type { Fields } from "@hookline/ground";
import { lineAt } from "../../record/lines.ts";
import { openBytes } from "../../record/read.ts";
import type { Branch, BranchEntry } from "../moment.ts";
import { fieldsOf, type SourceLine, textIn } from "./lines.ts";

/**
 * Records the position of each entry in a session file and the entry's parent. The entries themselves stay in the file,
 * so that a long session needs little memory. Files of version 1 have no ids: there each entry follows the one before.
 */
export class EntryIndex {
  readonly #path: string;
  readonly #numbers = new Map<string, number>();
  readonly #places: number[] = [];
  readonly #parents: number[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  add({ at }: SourceLine, entry: Fields): void {
    const last = this.#places.length - 1;
    const { parentId } = entry;
    const id = textIn(entry["id"]);
    if (id !== undefined) this.#numbers.set(id, last + 1);
    this.#parents.push(parentId === null ? -1 : (this.#numbers.get(textIn(parentId) ?? "") ?? last));
    this.#places.push(at);
  }

  /** Returns the branch that ends with an entry: `null` is before the first one, `undefined` is the file's last one. */
  branchOf(leafId: string | null | undefined): Branch {
    const size = this.#places.length;
    const leaf = leafId === null ? -1 : (this.#numbers.get(leafId ?? "") ?? size - 1);
    return { size, leafId: leafId ?? null, entries: () => this.#read(leaf) };
  }

  #read(leaf: number): BranchEntry[] {
    const way: number[] = [];
    // Only a parent before its child is followed, so that the loop ends even if a file contains a cycle.
    for (let at = leaf; at >= 0; at = (this.#parents[at] as number) < at ? (this.#parents[at] as number) : -1)
      way.push(at);
    const file = openBytes(this.#path);
    try {
      return way.reverse().flatMap((number) => {
        const entry = fieldsOf(lineAt(file, this.#places[number] as number) ?? "");
        return entry === undefined ? [] : [withIds(entry, number)];
      });
    } finally {
      file.close();
    }
  }
}

function withIds(entry: Fields, number: number): BranchEntry {
  const before = number === 0 ? null : `entry-${number - 1}`;
  const { id = `entry-${number}`, parentId = before } = entry;
  return { ...entry, id, parentId } as BranchEntry;
}
