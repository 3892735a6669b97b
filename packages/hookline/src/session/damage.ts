/** The unreadable parts of a session file. Reading does not change the file. */
export interface Damage {
  /** Lines that are not entries: not JSON, not an object, or without type or id. */
  readonly badLines: number;
  /** The file ends in the middle of a line. */
  readonly torn: boolean;
  /** The first line is not a header; the entries were read anyway. */
  readonly headerMissing: boolean;
}

/** One sentence about the damage for a person; undefined if there is none. */
export function describeDamage(path: string, damage: Damage): string | undefined {
  const parts: string[] = [];
  if (damage.headerMissing) parts.push("its first line is damaged");
  if (damage.badLines > 0)
    parts.push(`${damage.badLines} damaged ${damage.badLines === 1 ? "line was" : "lines were"} skipped`);
  if (damage.torn) parts.push("its last line is incomplete");
  if (parts.length === 0) return undefined;
  return `Session file ${path} is damaged: ${parts.join(", ")}. Everything else was read; fork the session to continue in a clean file.`;
}
