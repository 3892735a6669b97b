/** One thing that `hookline doctor` has looked at. */
export interface Check {
  readonly name: string;
  /** False only for what is broken, and makes the command end with 1. */
  readonly ok: boolean;
  readonly message: string;
  /** What to do; also given where nothing is broken but could be better. */
  readonly remedy?: string;
}

/** Something that is as it should be. */
export function fine(name: string, message: string, remedy?: string): Check {
  return { name, ok: true, message, ...(remedy !== undefined && { remedy }) };
}

/** Something that is broken. */
export function broken(name: string, message: string, remedy: string): Check {
  return { name, ok: false, message, remedy };
}

/** At most five of several things, and how many more there are. */
export function listed(items: readonly string[]): string {
  const more = items.length - 5;
  return `${items.slice(0, 5).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
