import type { Read } from "../../catalog/row.ts";
import { type Fold, last, record } from "../../fold/index.ts";
import { cloneAnswer, isPlain } from "../../lens/clone.ts";
import { ownOf, reader } from "./read.ts";

/** A request body as a handler returns it. */
export interface Wire {
  readonly payload?: unknown;
}

/** How answers to `before_provider_request` become one: whatever a handler returns is the new body, `null` too. */
export const body: {
  readonly schedule: "all";
  readonly fold: Fold<Wire, Wire>;
  readonly feeds: { readonly payload: "draft" };
  readonly read: Read<Wire>;
} = {
  schedule: "all",
  fold: record<Wire>({ payload: last() }),
  feeds: { payload: "draft" },
  read: reader<Wire>((raw) => ({ ok: true, answer: raw === undefined ? undefined : { payload: bodyOf(raw) } })),
};

/** A private copy of a body, part by part, so that one that cannot be read is told by its name. */
function bodyOf(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw) || !isPlain(raw)) return cloneAnswer(raw);
  const names = Object.keys(raw).filter((name) => name !== "__proto__");
  return Object.fromEntries(names.map((name) => [name, ownOf(raw, name)]));
}
