/** Varies a time randomly by up to `part` of it, so that the machines of a fleet do not all act at the same moment. */
export function spread(ms: number, part: number): number {
  return ms * (1 + part * (Math.random() * 2 - 1));
}
