/** The exports of a module. */
export type Exports = Readonly<Record<string, unknown>>;

/** A group of exports in one of hookline's files. It is loaded if a foreign module mentions one of its names. */
export interface Part<Lent> {
  readonly names: readonly string[];
  load(lent: Lent): Promise<Exports>;
}

/** Whether a word occurs in any file of the importing module. */
export type Mentions = (word: string) => boolean;

/**
 * Returns the exports of each part from which a foreign module mentions at least one name. A module that mentions no
 * name may still use any of them, so it gets all parts.
 */
export async function mentioned<Lent>(parts: readonly Part<Lent>[], lent: Lent, mentions: Mentions): Promise<Exports> {
  const wanted = parts.filter(({ names }) => names.some(mentions));
  const loaded = await Promise.all((wanted.length > 0 ? wanted : parts).map((part) => chosen(part, lent)));
  return Object.assign({}, ...loaded);
}

async function chosen<Lent>({ names, load }: Part<Lent>, lent: Lent): Promise<Exports> {
  const exports = await load(lent);
  return Object.fromEntries(names.map((name) => [name, exports[name]]));
}
