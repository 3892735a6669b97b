import { chibi } from "@hookline/runtime/dialects";
import type { Dialect, Lane, LaneRow } from "@hookline/runtime/engine";
import type { Case } from "../case.ts";

/** A case that holds: two plugins of chibi, of which the last one changes the prompt. */
export const holding: Case = {
  id: "chibi.pre_message.planted",
  says: "The last prompt counts.",
  cites: ["chibi.message.4"],
  dialect: "chibi",
  event: "prompt.before",
  payload: { text: "typed", images: [] },
  hooks: [
    { event: "pre_message", answer: { prompt: "a" } },
    { event: "pre_message", answer: { prompt: "b" } },
  ],
  expect: {
    answer: { text: "b" },
    saw: [
      { prompt: "typed", context_name: "default", summary: "" },
      { prompt: "typed", context_name: "default", summary: "" },
    ],
    asked: [0, 1],
    diagnostics: [],
    edited: ["prompt by 0", "prompt by 1"],
    tookMs: 0,
  },
};

/** The case with other hooks and expectations. */
export function planted(hooks: Case["hooks"], expect: Case["expect"], more: Partial<Case> = {}): Case {
  return { ...holding, hooks, expect, ...more };
}

/** chibi with only these rows, changed or not. */
export function only(names: readonly string[], change: (row: LaneRow) => LaneRow = (row) => row): Dialect {
  const [lane] = chibi.lanes as readonly [Lane];
  const rows = lane.rows.filter(({ name }) => names.includes(name)).map(change);
  return { ...chibi, lanes: [{ ...lane, rows }] };
}
