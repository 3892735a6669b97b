import type { BridgeHost } from "@hookline/bridge";
import { expect, test } from "vitest";
import { unsampled } from "../../../../scripts/event-samples.ts";
import { allHouseViolations, houseViolations, unexplained, unlisted } from "../../../../scripts/house.ts";
import { unfired, unnamed, unread, unseen, unshown, untested, untold } from "../../../../scripts/rows.ts";
import { catalog } from "../../../runtime/src/catalog/catalog.ts";
import type { CatalogRow } from "../../../runtime/src/catalog/row.ts";

test("the sources keep to the house rules", () => {
  expect(allHouseViolations()).toEqual([]);
});

test.each([
  ["a/long.ts", "const x = 1;\n".repeat(701), /701|702/],
  ["a/Upper.ts", "", /lower case/],
  ["a/string-utils.ts", "", /says nothing/],
  ["a/bare.ts", "export function bare(): void {}\n", /line 1: an export without a docstring/],
  ["a/usual.ts", "export default function () {}\n", /line 1: a default export/],
  ["a/real.ts", "const real = realpathSync(path);\n", /line 1: .* use realpathSync\.native/],
  ["a/later.ts", "const x = 1; // TODO more\n", /left for later/],
])("a planted violation in %s is caught", (path, text, said) => {
  expect(houseViolations(path, text)).toEqual([{ file: path, problem: expect.stringMatching(said) }]);
});

test("what comments cite is explained", () => {
  const page = "| `spec/pi.md` 2 | about | `pi.yaml` |\n| 56 | A project may set nothing. |\n";
  expect(unexplained("a.ts", "/** Source: spec/pi.md 2.4, ruling 56. */", page)).toEqual([]);
  const cited = "// Source: spec/pi.md 3.1; rulings 5, 56 and 7.";
  const missing = ["| `spec/pi.md` 3 |", "| 5 |", "| 7 |"];
  expect(unexplained("a.ts", cited, page).map(({ problem }) => problem)).toEqual(
    missing.map((row) => `docs/reference/sources.md has no row ${row}`),
  );
});

test("what is described, handed on or overloaded is no violation", () => {
  const text = `/** Twice. */
export function twice(x: number): number;
export function twice(x: never): never {
  return x;
}

export { one } from "./one.ts";
export type { Two } from "./two.ts";
`;
  expect(houseViolations("a/fine.ts", text)).toEqual([]);
});

test("the agent fires each event, and reads and shows each option", () => {
  expect([unfired(), unseen(), unread(), unshown()]).toEqual([[], [], [], []]);
  expect(unfired(["tool.before", "task.removed"])).toMatchObject([{ id: "task.removed" }]);
  expect(unseen(["tool.before", "notify", "task.removed"])).toMatchObject([{ id: "task.removed" }]);
  expect(unread(["verbose", "calmly"])).toMatchObject([{ id: "--calmly" }]);
  const flags = { calmly: { kind: "boolean", of: ["hooks list"], help: "calmly" } } as const;
  expect(unshown(undefined, flags)).toMatchObject([{ id: "--calmly", why: expect.stringContaining('"hooks list"') }]);
});

test("each tool has tests, and each event of Claude Code a row and a line in the README", () => {
  expect([untested(), untold()]).toEqual([[], []]);
  expect(untested(["ls", "stat"])).toMatchObject([{ id: "stat" }]);
  expect(untold(["Stop", "StopTwice"], ["FileChanged", "FileLost"]).map(({ id, why }) => `${id} ${why}`)).toEqual([
    expect.stringMatching(/^claude:StopTwice .*events\.ts/),
    expect.stringMatching(/^claude:StopTwice .*README/),
    expect.stringMatching(/^claude:FileLost .*README/),
  ]);
});

test("the page of each event in which guards decide begins with a guard, and no other", () => {
  expect(unsampled(catalog.values())).toEqual([]);
  const [tool, turn] = [catalog.get("tool.before"), catalog.get("turn.start")] as [CatalogRow, CatalogRow];
  const others = [...catalog.values()].filter(({ name }) => name !== "tool.before" && name !== "input");
  const rows: CatalogRow[] = [...others, { ...tool, name: "tool.other" }, { ...turn, name: "input" }];
  expect(unsampled(rows)).toEqual([
    { id: "tool.other", why: "its page shows no guard: add examples/events/tool.other.ts" },
    { id: "input", why: "guards decide nothing in it: remove it from examples/events" },
    { id: "tool.before", why: "guards decide nothing in it: remove it from examples/events" },
  ]);
});

test("the guide of the bridge has a row for each host", async () => {
  expect(await unnamed()).toEqual([]);
  const surfer = async () => ({ name: "surfer", label: "Surfer" }) as BridgeHost;
  expect(await unnamed({ surfer })).toMatchObject([{ id: "surfer", why: expect.stringContaining("bridge.md") }]);
});

test("a file of an agent that no list has is named with the list", () => {
  const at = (path: string): string => `packages/integrations/src/${path}`;
  const paths = ["new/tools.ts", "new/host/index.ts", "new/hooks/tools.ts", "tools.ts"].map(at);
  expect(unlisted(paths, () => 'from "./new/host/index.ts"')).toEqual([
    { file: at("new/tools.ts"), problem: `is not in ${at("tools.ts")}` },
  ]);
});
