import fc from "fast-check";
import { expect, test } from "vitest";
import { type Address, readAddress, VIEWS, writeAddress } from "../../src/state/address.ts";

const text = fc.string({ minLength: 1, unit: "grapheme" });
const span = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 1e9 })).map(([since, ms]) => ({ since, until: since + ms }));
const addresses = fc.record(
  {
    view: fc.constantFrom(...VIEWS),
    filter: fc.record({ event: text, tool: text, hook: text, decision: text, q: text }, { requiredKeys: [] }),
    source: text,
    n: fc.integer({ min: 1 }),
    brush: span,
    zoom: span,
    at: fc.integer({ min: 1 }),
  },
  { requiredKeys: ["view", "filter"] },
);

test("an address is read as it was written", () => {
  fc.assert(
    fc.property(addresses, (address) => {
      expect(readAddress(writeAddress(address as Address))).toEqual(address);
    }),
  );
});

test("what an address cannot mean is left out", () => {
  expect(readAddress("#view=nothing&n=-3&brush=9-1&zoom=x&other=1&source=")).toEqual({ view: "story", filter: {} });
  fc.assert(
    fc.property(fc.string(), (hash) => {
      expect(readAddress(hash).filter).toBeTypeOf("object");
    }),
  );
});
