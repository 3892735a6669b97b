/** The URL query of a request for a list. The names are those of `MomentQuery`. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** Returns the path of a source's data, below `/api/`. `about` names the data, such as `moments`. */
export function pathOf(source: string, about: string, query: Query = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  const text = given.toString();
  return `sources/${encodeURIComponent(source)}/${about}${text === "" ? "" : `?${text}`}`;
}

/** Makes the query for a filter and a time range. */
export function queryOf(kept: {
  readonly filter: Query;
  readonly brush?: { readonly since: number; readonly until: number } | undefined;
}): Query {
  return { ...kept.filter, ...kept.brush };
}
