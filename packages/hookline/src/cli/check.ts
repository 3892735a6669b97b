/** The result of one check of `hookline doctor`. */
export interface Check {
  readonly name: string;
  /** False only if something is broken; the command then exits with 1. */
  readonly ok: boolean;
  readonly message: string;
  /** The remedy; also set if nothing is broken but something could be better. */
  readonly remedy?: string;
}

/** Makes a check that passed. */
export function fine(name: string, message: string, remedy?: string): Check {
  return { name, ok: true, message, ...(remedy !== undefined && { remedy }) };
}

/** Makes a check that found something broken. */
export function broken(name: string, message: string, remedy: string): Check {
  return { name, ok: false, message, remedy };
}

/** Lists at most five items, and how many more there are. */
export function listed(items: readonly string[]): string {
  const more = items.length - 5;
  return `${items.slice(0, 5).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
