import type { NamedFile } from "./grep-files.ts";
import { readAhead } from "./read-ahead.ts";

/** Up to this many files are read without a filter, because starting one costs as much as reading them. */
const UNFILTERED = 128;
const FIRST_BLOCK = 1024;
const LARGEST_BLOCK = 8192;
const BLOCKS_AHEAD = 3;

/** Decides quickly, by the bytes of files, which of them a search need not read. */
export interface ContentFilter {
  /** Removes files that certainly have no match. Keeps the order of the others. */
  pass(files: readonly NamedFile[]): Promise<readonly NamedFile[]>;
  /** Ends the filter; resolves when all its work has ended. Must be called. */
  close(): Promise<void>;
}

/** Yields the files that a search must read, in their order. */
export async function* filtered(
  blocks: AsyncIterable<readonly NamedFile[]>,
  filter: ContentFilter | undefined,
): AsyncGenerator<NamedFile> {
  const pass = async (files: readonly NamedFile[]) =>
    filter === undefined || files.length <= UNFILTERED ? files : filter.pass(files);
  for await (const files of readAhead(regrouped(blocks), BLOCKS_AHEAD, pass)) yield* files;
}

/** Regroups files into blocks: a small one, which is read without a filter, then ever larger ones up to a limit. */
async function* regrouped(blocks: AsyncIterable<readonly NamedFile[]>): AsyncGenerator<readonly NamedFile[]> {
  let held: NamedFile[] = [];
  let size = UNFILTERED;
  for await (const block of blocks) {
    for (const file of block) {
      held.push(file);
      if (held.length < size) continue;
      yield held;
      held = [];
      size = Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, size * 2));
    }
  }
  if (held.length > 0) yield held;
}
