import { expect, test } from "vitest";
import { difference, fromData, toData } from "../data.ts";

test("what JSON has no word for is made from its mark and shown as it", () => {
  const data = { run: { $: "function" }, list: [{ signal: { $: "signal" } }], plain: 1 };
  const value = fromData(data) as { run: unknown; list: { signal: unknown }[] };
  expect(value.run).toBeTypeOf("function");
  expect(value.list[0]?.signal).toBeInstanceOf(AbortSignal);
  expect(toData(value)).toEqual(data);
  expect(toData({ seen: new Set([1]), gone: undefined, list: [undefined] })).toEqual({
    seen: { $: "set" },
    list: [null],
  });
});

test("what data makes is a copy", () => {
  const data = { list: [{ a: 1 }] };
  const value = fromData(data) as typeof data;
  value.list.push({ a: 2 });
  expect(data.list).toHaveLength(1);
});

test.each([
  [{ a: 1 }, { a: 1 }],
  [{ a: { $: "number" } }, { a: 7 }],
  [
    { $: "more", a: 1 },
    { a: 1, b: 2 },
  ],
  [[], []],
  [null, null],
  [{ a: { $: "function" } }, { a: { $: "function" } }],
])("%j is what %j should be", (wanted, got) => {
  expect(difference(wanted, got, "value")).toBeUndefined();
});

test.each([
  [{ a: 1 }, { a: 2 }, "value.a: wanted 1, got 2"],
  [{ a: 1 }, {}, "value.a: wanted 1, got nothing"],
  [{}, { a: 1 }, "value.a: wanted nothing, got 1"],
  [{ a: { $: "number" } }, { a: "7" }, 'value.a: wanted {"$":"number"}, got "7"'],
  [[1, 2], [1], "value: wanted [1,2], got [1]"],
  [[{ a: 1 }], [{ a: 2 }], "value[0].a: wanted 1, got 2"],
  [{}, [], "value: wanted {}, got []"],
  [null, {}, "value: wanted null, got {}"],
  [{ $: "more", a: 1 }, { b: 2 }, "value.a: wanted 1, got nothing"],
])("where %j is wanted, %j is caught", (wanted, got, why) => {
  expect(difference(wanted, got, "value")).toBe(why);
});
