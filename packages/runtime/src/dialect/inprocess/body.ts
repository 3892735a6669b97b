import type { Read } from "../../catalog/row.ts";
import { type Fold, last, record } from "../../fold/index.ts";
import { cloneAnswer } from "../../lens/clone.ts";
import { reader } from "./read.ts";

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
  read: reader<Wire>((raw) => ({ ok: true, answer: raw === undefined ? undefined : { payload: cloneAnswer(raw) } })),
};
