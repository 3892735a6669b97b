/** The damage in a session file. Reading a file does not repair it. */
export interface Damage {
  /** The number of lines that are not entries: not JSON, not an object, or without type or id. */
  readonly badLines: number;
  /** Whether the file ends in the middle of a line. */
  readonly torn: boolean;
  /** Whether the first line is no header; the entries are read anyway. */
  readonly headerMissing: boolean;
}

/** Describes the damage in one sentence for the person; undefined if there is none. */
export function describeDamage(path: string, damage: Damage): string | undefined {
  const parts: string[] = [];
  if (damage.headerMissing) parts.push("its first line is damaged");
  if (damage.badLines > 0)
    parts.push(`${damage.badLines} damaged ${damage.badLines === 1 ? "line was" : "lines were"} skipped`);
  if (damage.torn) parts.push("its last line is incomplete");
  if (parts.length === 0) return undefined;
  return `Session file ${path} is damaged: ${parts.join(", ")}. Everything else was read; fork the session to continue in a clean file.`;
}
