/** Formats the lines that a `read` call shows as pi 1.6.0 does, such as `:5-14`; empty for a whole file. */
export function formatReadLineRange(offset: unknown, limit: unknown): string {
  if (offset === undefined && limit === undefined) return "";
  const from = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `:${from}-${from + limit - 1}` : `:${from}`;
}
