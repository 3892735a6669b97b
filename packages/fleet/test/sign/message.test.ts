import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSigned, signedJson } from "../../src/sign/message.ts";
import { isSignedBy, newNkey, readNkey } from "../../src/sign/nkey.ts";

const TYPE = "application/vnd.hookline.fleet-question.v1+json";

describe("a signed object", () => {
  test("has these exact bytes", () => {
    // The key with the 32 bytes 1, 2, … 32.
    const key = readNkey("user", "SUAACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IC5CQ");
    const bytes = signedJson(TYPE, { v: 1, id: "a" }, (message) => key.sign(message)).toString();
    expect(key.public).toBe("UB43KVROR7TFJ6KAPCYRF2FJROTZAH4FHLTJLPWX4DRZCC5NASLGJBFE");
    expect(bytes).toBe(
      `{"v":1,"id":"a","sig":"efnKqn6h4_jmPDBln6kRHuKGruMF6vMee9sCCDcAQh1HuvEXvGKpacbF9Z9gEZ_oetepRWHxgU_5kUkUkRBzDw"}`,
    );
  });

  test("is opened as it was signed, and by no other type or key", () => {
    const key = newNkey("user");
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const bytes = signedJson(TYPE, { v: 1, ...given }, (message) => key.sign(message));
        const opened = openSigned(TYPE, bytes);
        expect(opened?.body.toString()).toBe(JSON.stringify({ v: 1, ...given }));
        const { message, signature } = opened ?? { message: Buffer.of(), signature: Buffer.of() };
        expect(isSignedBy("user", key.public, message, signature)).toBe(true);
        const other = openSigned("text/plain", bytes);
        expect(isSignedBy("user", key.public, other?.message ?? Buffer.of(), signature)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  test("counts for nothing with one bit changed", () => {
    const key = newNkey("user");
    const bytes = signedJson(TYPE, { v: 1, id: "a", payload: { args: { command: "ls" } } }, (message) =>
      key.sign(message),
    );
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ (1 << bit);
        const opened = openSigned(TYPE, changed);
        expect(opened !== undefined && isSignedBy("user", key.public, opened.message, opened.signature)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test("is nothing else", () => {
    for (const text of [
      "",
      "{}",
      '{"sig":""}',
      `{"v":1,"sig":"${"A".repeat(85)}"}`,
      `{"v":1,"sig":"${"A".repeat(85)}B"}`,
    ])
      expect(openSigned(TYPE, Buffer.from(text))).toBeUndefined();
  });
});
