import fc from "fast-check";
import { expect, test } from "vitest";
import { changesOf } from "../../src/text/changes.ts";

test("only what differs is told, with its path", () => {
  const before = { input: { command: "ls", deep: { same: [1, 2] } }, gone: 1 };
  const after = { input: { command: "ls -l", deep: { same: [1, 2] } }, come: 2 };
  expect(changesOf(before, after)).toEqual([
    { path: "input.command", kind: "changed", before: "ls", after: "ls -l" },
    { path: "gone", kind: "removed", before: 1 },
    { path: "come", kind: "added", after: 2 },
  ]);
});

test("an item that was put in front leaves the others alone", () => {
  const list = Array.from({ length: 50 }, (_, at) => ({ text: `message ${at}` }));
  expect(changesOf(list, [{ text: "new" }, ...list])).toEqual([{ path: "[0]", kind: "added", after: { text: "new" } }]);
  expect(changesOf(list, list.slice(1))).toEqual([{ path: "[0]", kind: "removed", before: list[0] }]);
});

test("an item that was changed is compared with the one in its place", () => {
  expect(changesOf([{ a: 1 }, { b: 2, c: 3 }], [{ a: 1 }, { b: 2, c: 4 }])).toEqual([
    { path: "[1].c", kind: "changed", before: 3, after: 4 },
  ]);
});

test("texts that hold JSON are compared as what they hold", () => {
  expect(changesOf('{"a":1,"b":2}', '{"b":2,"a":3}')).toEqual([{ path: "a", kind: "changed", before: 1, after: 3 }]);
  expect(changesOf('{"a":1}', '{ "a": 1 }')).toEqual([
    { path: "", kind: "changed", before: '{"a":1}', after: '{ "a": 1 }' },
  ]);
  expect(changesOf("[1", "[2")).toEqual([{ path: "", kind: "changed", before: "[1", after: "[2" }]);
});

test("a value has no difference from itself, and one from any other", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(changesOf(a, structuredClone(a))).toEqual([]);
      expect(changesOf(a, b).length > 0).toBe(JSON.stringify(sorted(a)) !== JSON.stringify(sorted(b)));
    }),
  );
});

/** The order of fields is no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // An object without fields is no empty list.
  return { fields: fields.map(([name, one]) => [name, sorted(one)]) };
}
