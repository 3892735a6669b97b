import type { CatalogRow } from "../catalog/row.ts";

/** The effect that an answer of a hook in shadow would have had. */
export type Would = "deny" | "ask" | "edit";

/** Fields of an answer with which hooks stop an action. */
const STOPS: readonly string[] = ["cancel", "stop", "halt"];

/** Returns the effect that a folded answer of a hook in shadow would have had; `undefined` if none. */
export function wouldOf({ guard }: Pick<CatalogRow, "guard">, answer: object): Would | undefined {
  const fields = answer as Readonly<Record<string, unknown>>;
  const { decision, ...rest } = fields;
  if (
    guard?.refused(fields) ||
    decision === "deny" ||
    fields["trusted"] === "no" ||
    STOPS.some((name) => Boolean(fields[name]))
  )
    return "deny";
  if (decision === "ask") return "ask";
  return Object.values(rest).some((value) => value !== undefined) ? "edit" : undefined;
}
