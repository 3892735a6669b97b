import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../../scripts/step.ts";
import type { InspectedSource, ViewName } from "../../src/inspect/api.ts";
import { viewsOf } from "../../src/inspect/views.ts";

type Kind = Pick<InspectedSource, "kind" | "level">;

/** The rows of the guide's table, by how each begins. */
const ROWS: readonly (readonly [begins: string, kind: Kind])[] = [
  ["recording of level `all`", { kind: "recording", level: "all" }],
  ["recording of level `decisions`", { kind: "recording", level: "decisions" }],
  ["recording of level `log`", { kind: "recording", level: "log" }],
  ["trace", { kind: "trace" }],
  ["session of", { kind: "session" }],
  ["result of a replay", { kind: "replay" }],
];
/** The columns, each with the view that it is about. */
const VIEWS: readonly (readonly [column: string, view: ViewName])[] = [
  ["story", "story"],
  ["timeline", "timeline"],
  ["moment", "moment"],
  ["model input", "conversation"],
  ["hooks", "hooks"],
];
/** Cells that say that nothing is missing. */
const WHOLE = new Set(["all events", "everything"]);

const table = readFileSync(join(root, "docs/guide/inspect.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

test("the guide's table says which view each source can fill", () => {
  expect(
    table
      .find(([first]) => first === "file")
      ?.slice(2)
      .map((one) => one.toLowerCase()),
  ).toEqual(VIEWS.map(([column]) => column));
  for (const [begins, kind] of ROWS) {
    const [row, ...more] = table.filter(([first = "", , ...cells]) => first.startsWith(begins) && cells.length === 5);
    expect([begins, more]).toEqual([begins, []]);
    const states = row?.slice(2).map((cell) => (cell.startsWith("–") ? "empty" : WHOLE.has(cell) ? "full" : "part"));
    const views = viewsOf(kind);
    expect([begins, states]).toEqual([begins, VIEWS.map(([, view]) => views[view].state)]);
  }
});

test("a view that lacks something says why, and one that is empty says what to do about it", () => {
  for (const [, kind] of [...ROWS, ["running", { kind: "running" }] as const])
    for (const { state, because } of Object.values(viewsOf(kind))) {
      expect(because === undefined).toBe(state === "full");
      if (state === "empty") expect(because).toMatch(/--record|Open the recording or session|hookline replay/);
    }
});
