/** What could not be read of a session file. Nothing of it was changed on disk by the reading. */
export interface Damage {
  /** Lines that are no entries: not JSON, no object, without type or id. */
  readonly badLines: number;
  /** The file ends in the middle of a line. */
  readonly torn: boolean;
  /** The first line is not a header; the entries were read all the same. */
  readonly headerMissing: boolean;
}

/** One sentence about damage for a person; undefined when there is none. */
export function describeDamage(path: string, damage: Damage): string | undefined {
  const parts: string[] = [];
  if (damage.headerMissing) parts.push("its first line is damaged");
  if (damage.badLines > 0)
    parts.push(`${damage.badLines} damaged ${damage.badLines === 1 ? "line was" : "lines were"} skipped`);
  if (damage.torn) parts.push("its last line is incomplete");
  if (parts.length === 0) return undefined;
  return `Session file ${path} is damaged: ${parts.join(", ")}. Everything else was read; fork the session to continue in a clean file.`;
}
