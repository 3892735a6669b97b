import fc from "fast-check";
import { expect, test } from "vitest";
import { WireHeaders } from "../../../src/provider/http/headers.ts";

const names = fc.constantFrom("Accept", "accept", "X-Key", "x-key", "Set-Cookie", "Authorization", "b", "bad name", "");
const values = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(" a ", "b, c", "\tx\r\n", "a\nb", "日", "é", "\0"),
);
const steps = fc.array(fc.tuple(fc.constantFrom("append", "set", "delete", "get", "has"), names, values), {
  maxLength: 12,
});

/** Returns what each step returned or threw, and the final headers. */
function played(headers: Headers | WireHeaders, all: readonly (readonly [string, string, string])[]): unknown {
  const gave = all.map(([what, name, value]) => {
    try {
      if (what === "append" || what === "set") return headers[what](name, value) ?? null;
      return headers[what as "get" | "has" | "delete"](name) ?? null;
    } catch (thrown) {
      return (thrown as Error).name;
    }
  });
  const each: unknown[] = [];
  headers.forEach((value: string, name: string) => void each.push([name, value]));
  return { gave, entries: [...headers], each, keys: [...headers.keys()], values: [...headers.values()] };
}

test("headers are as those of Node, whatever is done to them", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [ours, node] = [new WireHeaders(), new Headers()];
      expect(played(ours, all)).toEqual(played(node, all));
      expect(ours.getSetCookie()).toEqual(node.getSetCookie());
    }),
    { numRuns: 2000 },
  );
});

test("headers are made of a record, of pairs and of other headers", () => {
  const expected = [
    ["a", "1"],
    ["b", "2"],
  ];
  expect([...new WireHeaders({ B: "2", A: "1" })]).toEqual(expected);
  expect([...new WireHeaders(Object.entries({ B: "2", A: "1" }))]).toEqual(expected);
  expect([...new WireHeaders(new Headers({ B: "2", A: "1" }))]).toEqual(expected);
  expect([...new Headers([...new WireHeaders({ B: "2", A: "1" })])]).toEqual(expected);
});
