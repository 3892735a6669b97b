/** The exports of a module. */
export type Exports = Readonly<Record<string, unknown>>;

/** Names whose values one of our files has; it is loaded when a foreign module mentions one of them. */
export interface Part<Lent> {
  readonly names: readonly string[];
  load(lent: Lent): Promise<Exports>;
}

/** Whether any file of the importing module contains this word. */
export type Mentions = (word: string) => boolean;

/**
 * The exports that a foreign module may use: all parts of which it mentions a name. A module that mentions no name at
 * all uses them in a way that cannot be seen, so it gets everything.
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
