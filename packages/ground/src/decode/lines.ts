import { lenientText } from "./bytes.ts";
import { MOST_DEPTH, scanJson } from "./scan.ts";

/** The line of a definition, such as a hook. Has the JSON pointer too if several definitions begin on the line. */
export interface EntryPlace {
  readonly line: number;
  readonly pointer?: string;
}

/** Returns a function from the JSON pointer of a definition to its place. */
export function entryPlaces(
  pointers: Iterable<string>,
  lines: (pointer: string) => number,
): (pointer: string) => EntryPlace {
  const counts = new Map<number, number>();
  for (const pointer of new Set(pointers)) counts.set(lines(pointer), (counts.get(lines(pointer)) ?? 0) + 1);
  return (pointer) => {
    const line = lines(pointer);
    return (counts.get(line) ?? 0) > 1 ? { line, pointer } : { line };
  };
}

/** Escapes a name as one part of a JSON pointer. */
export function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns a function from a value's JSON pointer to the line on which it begins. An unknown pointer gives 1. */
export function jsonLines(input: string | Uint8Array): (pointer: string) => number {
  const text = lenientText(input);
  const offsets = new Map<string, number>();
  // If a name occurs twice, the last value counts, as in `JSON.parse`.
  scanJson(text, MOST_DEPTH, (pointer, offset) => offsets.set(pointer, offset));
  const breaks: number[] = [];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) breaks.push(at);
  return (pointer) => {
    const offset = offsets.get(pointer) ?? 0;
    let [low, high] = [0, breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
