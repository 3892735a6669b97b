import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { generate } from "../../../../scripts/gen.ts";
import { dialects } from "../../../integrations/src/index.ts";
import { catalog } from "../../src/catalog/catalog.ts";
import { define } from "../../src/catalog/define.ts";
import type { HookSpec } from "../../src/hook/hook.ts";
import { Instance } from "../../src/hook/instance.ts";
import { Registry } from "../../src/hook/registry.ts";
import { Deadlines } from "../../src/run/deadline.ts";
import { dispatch } from "../../src/run/dispatch.ts";
import { libraryLane, sameView } from "../../src/run/library.ts";
import { ManualClock } from "../laws/clock.ts";

/** One more event: this row is all there is of it. */
const row = define("door.knock", {
  fires: "When somebody knocks.",
  kind: "gate",
  subject: "who",
  payload: () => ({ who: v.string(), times: v.number() }),
  answer: () => ({ open: v.optional(v.boolean()), who: v.optional(v.string()) }),
  feeds: { who: "chain" },
});
const more = new Map([...catalog, [row.name, row]]);

/** The same event in a dialect: one cell. */
const [first, ...others] = dialects;
const [lane, ...lanes] = first?.lanes ?? [];
if (first === undefined || lane === undefined) throw new Error("there is no dialect");
const cell = { ...row, name: "on_knock", of: row.name, view: sameView };
const told = [{ ...first, lanes: [{ ...lane, rows: [...lane.rows, cell] }, ...lanes] }, ...others];

test("a row and a cell make the event's types, schema, page, matrix row, row in the bridge's report and nothing else", () => {
  const before = generate();
  const after = generate(more, told);
  const touched = [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
  expect(touched.sort()).toEqual([
    "docs/reference/dialects.md",
    "docs/reference/events/README.md",
    "docs/reference/events/door.knock.md",
    "docs/reference/schemas/door.knock.json",
    "packages/bridge/src/report/row-fields.ts",
  ]);
  expect(JSON.parse(after.get("docs/reference/schemas/door.knock.json") as string)).toMatchObject({
    description: "When somebody knocks.",
    properties: {
      event: { properties: { who: { type: "string" }, times: { type: "number" } }, required: ["who", "times"] },
      answer: { properties: { open: { type: "boolean" } }, required: [] },
    },
  });
  expect(after.get("docs/reference/events/door.knock.md")).toContain("| a matcher is tested on | `who` |");
  expect(after.get("docs/reference/events/door.knock.md")).toContain(`- ${lane.id}: \`on_knock\``);
  expect(after.get("docs/reference/dialects.md")).toContain("| [door.knock](events/door.knock.md) | gate | `on_knock`");
  expectTypeOf<NonNullable<(typeof row)["told"]>["times"]>().toEqualTypeOf<number>();
  expectTypeOf<NonNullable<(typeof row)["folded"]>["open"]>().toEqualTypeOf<boolean | undefined>();
});

test("the loop asks its hooks by the row, with no line of its own for it", () => {
  const registry = new Registry([libraryLane(more)], more, () => {});
  const instance = new Instance("library", { path: "library", tier: "builtin" }, registry);
  const on = (run: HookSpec["run"]) => instance.on({ event: row.name, run });
  on((() => ({ who: "a neighbour" })) as never);
  on((({ who }: { who: string }) => ({ open: who === "a neighbour" })) as never);
  const plan = registry.plan(row.name);
  if (plan === undefined) throw new Error("nobody listens");
  const clock = new ManualClock();
  const outcome = dispatch(
    plan,
    { who: "somebody", times: 2 },
    {
      scene: { sessionId: "s", cwd: "/" },
      clock,
      deadlines: new Deadlines(clock),
      signal: undefined,
      trace: false,
      report: () => {},
    },
  );
  expect(outcome).toMatchObject({ answer: { who: "a neighbour", open: true } });
});

/** Files of a package that name an event. */
function naming(event: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && readFileSync(join(folder, path), "utf8").includes(`"${event}"`),
  );
}

/** Folders whose code asks hooks as a host does: the wrapper of tools, replays and the proof of guards. */
const HOSTS = ["replay/", "replay/source/", "run/", "session/"];

test("no module of the runtime but the catalog, the dialects and those that stand in for a host names an event", () => {
  const src = join(import.meta.dirname, "../../src");
  const dotted = [...catalog.keys()].filter((name) => name.includes("."));
  expect(dotted.length).toBeGreaterThan(60);
  const places = new Set(dotted.flatMap((name) => naming(name, src)).map((path) => path.replace(/[^/]*$/, "")));
  const engine = [...places].filter((folder) => !folder.startsWith("dialect/") && folder !== "catalog/");
  expect(engine.sort()).toEqual(HOSTS);
  const wrapping = dotted.flatMap((name) => naming(name, join(src, "run")));
  expect([...new Set(wrapping)]).toEqual(["wrap.ts"]);
});

test("an event is one row in one file of the catalog", () => {
  const folder = join(import.meta.dirname, "../../src/catalog");
  const rows = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  for (const name of catalog.keys())
    expect({ name, files: rows.filter((text) => text.includes(`define("${name}"`)).length }).toEqual({
      name,
      files: 1,
    });
});
