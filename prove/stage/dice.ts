/** Repeatable random numbers: the same seed produces the same throws. */
export interface Dice {
  /** Returns a number from 0 to less than 1. */
  roll(): number;
  /** Returns an integer from 0 to less than `sides`. */
  below(sides: number): number;
  pick<T>(items: readonly T[]): T;
  /** Returns true in this share of the throws. */
  chance(share: number): boolean;
}

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const roll = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    // The low bits of such a generator repeat soon, so high bits are mixed in.
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (sides: number): number => Math.floor(roll() * sides);
  return { roll, below, pick: (items) => items[below(items.length)] as never, chance: (share) => roll() < share };
}

/** Makes dice for one of many trials with neighbouring seeds: plain `dice` would begin with nearly the same throws. */
export function mixedDice(seed: number): Dice {
  let mixed = seed >>> 0;
  for (const factor of [0x85ebca6b, 0xc2b2ae35]) mixed = Math.imul(mixed ^ (mixed >>> 15), factor);
  return dice(mixed ^ (mixed >>> 16));
}
