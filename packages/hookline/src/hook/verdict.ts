/** The fields of an outcome that decide something: the field, words for a person, and the field with the reason. */
const VERDICTS: readonly (readonly [field: string, says: string, more: string])[] = [
  ["decision", "refused it", "reason"],
  ["halt", "ended the run", "halt"],
  ["feedback", "sent the model back", "feedback"],
  ["stop", "stopped it", ""],
  ["cancel", "cancelled it", ""],
  ["handled", "took it over", ""],
];

/** The fields of an outcome with texts that hooks add for the model. */
const ADDED = ["additionalContext", "context", "remark"];

/** Returns the texts that hooks have added in an outcome, which decide nothing. */
export function addedIn(outcome: unknown): readonly string[] {
  const fields = (outcome ?? {}) as Readonly<Record<string, unknown>>;
  return ADDED.flatMap((field) => [fields[field] ?? []].flat()).filter((text) => typeof text === "string");
}

/** Returns the hooks' decision in an outcome, with details; undefined if they changed nothing. */
export function verdictOf(outcome: unknown): { readonly says: string; readonly reason?: unknown } | undefined {
  const fields = (outcome ?? {}) as Readonly<Record<string, unknown>>;
  const found = VERDICTS.find(([field]) => Boolean(fields[field]) && fields[field] !== "allow");
  if (found === undefined) return undefined;
  const [field, says, more] = found;
  const reason = (fields[more] as { readonly reason?: unknown } | undefined)?.reason ?? fields[more];
  return { says: fields[field] === "ask" ? "asked" : says, ...(reason !== undefined && { reason }) };
}
