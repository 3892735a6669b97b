/** The lines that a `read` call shows, as pi 1.6.0 writes them behind a path: `:5-14`; nothing for all of a file. */
export function formatReadLineRange(offset: unknown, limit: unknown): string {
  if (offset === undefined && limit === undefined) return "";
  const from = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `:${from}-${from + limit - 1}` : `:${from}`;
}
