import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createCharacterGate } from "../../src/tool/characters.ts";

/** Cuts bytes into pieces at the given places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : places[index - 1], end));
}

test("a text cut at any bytes comes through in whole characters", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "👍"), maxLength: 20 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(80)), (whole, cuts) => {
      const gate = createCharacterGate();
      const passed = pieces(Buffer.from(whole), cuts).map((piece) => gate.pass(piece).toString("utf8"));
      expect(passed.join("")).toBe(whole);
      expect(passed.join("")).not.toContain("\uFFFD");
      expect(gate.rest()).toHaveLength(0);
    }),
  );
});

test("any bytes come through unchanged", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(fc.nat(80)), (bytes, cuts) => {
      const gate = createCharacterGate();
      const passed = pieces(Buffer.from(bytes), cuts).map((piece) => Buffer.from(gate.pass(piece)));
      expect(Buffer.concat([...passed, gate.rest()])).toEqual(Buffer.from(bytes));
    }),
  );
});

test("held back bytes do not change when the chunk's memory does", () => {
  const gate = createCharacterGate();
  const chunk = Buffer.from([0xc3]);
  expect(gate.pass(chunk)).toHaveLength(0);
  chunk.fill(0x41);
  expect(gate.pass(Buffer.from([0xa9])).toString("utf8")).toBe("é");
});
