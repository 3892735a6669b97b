import { type CatalogRow, catalog } from "../kit.ts";
import type { May } from "./manifest.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `ADDS` are fields that add text for the model or the person. `ENDS` end more than the event, such as the run. */
const ADDS: readonly string[] = ["additionalContext", "remark", "feedback", "note"];
const ENDS: readonly string[] = ["halt", "terminate", "rest", "handled"];

/** An answer without its disallowed effects, and the names of the fields that were dropped. */
export interface Limited {
  readonly answer: Fields;
  readonly dropped: readonly string[];
}

/** Drops the fields of an answer whose effects are not allowed. A refusal and its reason are dropped together. */
export function limited(event: string, answer: Fields, may: ReadonlySet<May>): Limited {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  const refusing = refusalOf(catalog.get(event));
  const judges = refusing.includes("decision") ? decisionOf(answer["decision"]) : undefined;
  for (const [name, value] of Object.entries(answer)) {
    // An explicit `allow` has the same effect as no answer.
    if (name === "decision" && value === "allow") continue;
    const effect = refusing.includes(name) ? (judges ?? "deny") : effectOf(name);
    if (may.has(effect)) kept[name] = value;
    else dropped.push(name);
  }
  return { answer: kept, dropped };
}

function decisionOf(decision: unknown): May {
  return decision === "ask" ? "ask" : "deny";
}

/** Returns the fields of an answer that refuse the event: those that the row itself sets to refuse it. */
function refusalOf(row: CatalogRow | undefined): readonly string[] {
  const refusal = row?.guard?.refuse("") ?? row?.standIn?.refuse("") ?? row?.withhold?.({ message: {} }, "");
  // If the row can only replace a text, such as a message's, nothing is refused: the fields count as edits.
  const isEdit = row?.guard === undefined && row?.standIn === undefined && refusal?.["stop"] === undefined;
  return refusal === undefined || isEdit ? [] : Object.keys(refusal);
}

function effectOf(name: string): May {
  if (ADDS.includes(name)) return "context";
  return ENDS.includes(name) ? "stop" : "edit";
}
