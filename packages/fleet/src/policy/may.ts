import { type CatalogRow, catalog } from "../kit.ts";
import type { May } from "./manifest.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields of an answer that add text for the model or the person, and those that end more than this moment. */
const ADDS: readonly string[] = ["additionalContext", "remark", "feedback", "note"];
const ENDS: readonly string[] = ["halt", "terminate", "rest", "handled"];

/** An answer without what it may not do, and the names of the fields that were dropped. */
export interface Limited {
  readonly answer: Fields;
  readonly dropped: readonly string[];
}

/** Keeps of an answer to an event what it may do. A refusal keeps its reason; one that is dropped takes it along. */
export function limited(event: string, answer: Fields, may: ReadonlySet<May>): Limited {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  const refusing = refusalOf(catalog.get(event));
  const judges = refusing.includes("decision") ? decisionOf(answer["decision"]) : undefined;
  for (const [name, value] of Object.entries(answer)) {
    // Allowing is what saying nothing is.
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

/** The fields with which an event's answer refuses: those of the catalog's own refusal. */
function refusalOf(row: CatalogRow | undefined): readonly string[] {
  const refusal = row?.guard?.refuse("") ?? row?.standIn?.refuse("") ?? row?.withhold?.({ message: {} }, "");
  // An answer that withholds a text by replacing it is an edit.
  const isEdit = row?.guard === undefined && row?.standIn === undefined && refusal?.["stop"] === undefined;
  return refusal === undefined || isEdit ? [] : Object.keys(refusal);
}

function effectOf(name: string): May {
  if (ADDS.includes(name)) return "context";
  return ENDS.includes(name) ? "stop" : "edit";
}
