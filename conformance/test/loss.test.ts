import { dialects } from "@hookline/runtime/dialects";
import { type CatalogRow, catalog, type Lane } from "@hookline/runtime/engine";
import { expect, test } from "vitest";
import { lossOf } from "../../scripts/loss.ts";
import { readCases } from "../requirement.ts";

function loss(dialect: string, event: string) {
  const lane = dialects.find(({ id }) => id === dialect)?.lanes.at(-1) as Lane;
  return lossOf(
    catalog.get(event) as CatalogRow,
    lane,
    lane.rows.filter(({ of }) => of === event),
    readCases(dialect),
  );
}

test("what a dialect's event does not show is named, parts of messages included", () => {
  const { unseen } = loss("jcli", "tool.after");
  expect(unseen).toEqual(expect.arrayContaining(["`toolCallId`", "`details`", "images"]));
  expect(unseen).not.toContain("`content`");
  expect(loss("jcli", "model.context").unseen).toEqual(["images", "thinking"]);
});

test("what none of its answers brings to the host is named; edits in place count", () => {
  expect(loss("pi", "tool.before").ungiven).toEqual(["`additionalContext`", "`rest`", "`remark`", "`halt`"]);
  expect(loss("pi", "model.headers")).toEqual({ unseen: [], ungiven: [] });
});

test("nothing is named where a dialect sees and gives all", () => {
  expect(loss("pi", "input").unseen).toEqual([]);
  expect(loss("chibi", "mail.before")).toEqual({ unseen: [], ungiven: [] });
});
