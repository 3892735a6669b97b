import { newSeed } from "../stage/seed.ts";

/** Random choices that a seed reproduces. */
export interface Chance {
  readonly seed: number;
  /** Returns an integer from 0, less than `end`. */
  below(end: number): number;
  of<T>(choices: readonly T[]): T;
}

/** Makes random choices with the given seed, or a new one. */
export function chance(seed: number = newSeed()): Chance {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { seed, below, of: (choices) => choices[below(choices.length)] as (typeof choices)[number] };
}
