import type { Fields } from "@hookline/ground";
import { lineAt } from "../../record/lines.ts";
import { openBytes } from "../../record/read.ts";
import type { Branch, BranchEntry } from "../moment.ts";
import { fieldsOf, type SourceLine, textIn } from "./lines.ts";

/**
 * Where the entries of a session file stand and whose children they are. The entries themselves stay in the file, so
 * that a long session costs little. Files of version 1 have no ids: there each entry follows the one before.
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

  /** The branch that ends in an entry: `null` for before the first one, `undefined` for the last one in the file. */
  branchOf(leafId: string | null | undefined): Branch {
    const size = this.#places.length;
    const leaf = leafId === null ? -1 : (this.#numbers.get(leafId ?? "") ?? size - 1);
    return { size, leafId: leafId ?? null, entries: () => this.#read(leaf) };
  }

  #read(leaf: number): BranchEntry[] {
    const way: number[] = [];
    // A parent stands before its children, so that the way ends.
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
