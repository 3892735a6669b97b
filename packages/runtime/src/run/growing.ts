/**
 * Where to go on in a list that may have grown anywhere while it is gone through: behind what was taken last, whose place
 * was before `at`.
 */
export function placeIn<T>(list: readonly T[], at: number, last: T | undefined): number {
  return at === 0 || list[at - 1] === last ? at : list.indexOf(last as T) + 1;
}
