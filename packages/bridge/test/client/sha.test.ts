import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "../../src/client/place.ts";

test("names are the SHA-256 that node:crypto computes, whatever the text's length", () => {
  const same = (text: string): void => {
    expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
  };
  for (let length = 0; length < 200; length++) same("é".repeat(length));
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), same));
});
