import type { CatalogRow } from "../catalog/row.ts";

/** What an answer that does not count would have done. */
export type Would = "deny" | "ask" | "edit";

/** Fields with which hooks stop the action. */
const STOPS: readonly string[] = ["cancel", "stop", "halt"];

/** What a hook in shadow would have done by its folded answer; undefined if it would have changed nothing. */
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
