import { lenientText } from "./bytes.ts";
import { MOST_DEPTH, scanJson } from "./scan.ts";

/** Maps the JSON pointer of a value to the line on which it begins, from 1; returns 1 for a pointer to nothing. */
export function jsonLines(input: string | Uint8Array): (pointer: string) => number {
  const text = lenientText(input);
  const offsets = new Map<string, number>();
  // For a duplicate name the last value counts, as in reading.
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
