/** A time up to such a part shorter or longer, so that not all machines of a fleet do the same at the same moment. */
export function spread(ms: number, part: number): number {
  return ms * (1 + part * (Math.random() * 2 - 1));
}
