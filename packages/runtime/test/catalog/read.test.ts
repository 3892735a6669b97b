import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { strict } from "../../src/catalog/read.ts";

const SECRET = "sk-canary 4711";
const read = strict(() =>
  v.strictObject({
    text: v.string(),
    mode: v.optional(v.picklist(["ask", "deny"])),
    parts: v.optional(v.array(v.strictObject({ size: v.pipe(v.number(), v.integer()) }))),
    given: v.optional(v.custom<string>(() => false)),
  }),
);

describe("a strict reading says what is wrong without quoting it", () => {
  it.each([
    [SECRET, "the answer: expected Object, it is a string"],
    [{}, "text: it is missing"],
    [{ text: [SECRET] }, "text: expected string, it is a list"],
    [{ text: { SECRET } }, "text: expected string, it is an object"],
    [{ text: null }, "text: expected string, it is null"],
    [{ text: "", mode: SECRET }, 'mode: expected ("ask" | "deny"), it is a string'],
    [{ text: "", parts: [{ size: SECRET }] }, "parts.0.size: expected number, it is a string"],
    [{ text: "", parts: [{ size: 0.4711 }] }, "parts.0.size: not valid, it is a number"],
    [{ text: "", given: SECRET }, "given: expected unknown, it is a string"],
    [{ text: "", txet: SECRET }, "txet: there is no such field"],
    [{ text: "", [SECRET]: 1 }, "a field: there is no such field"],
  ])("%j", (raw, problem) => {
    expect(read(raw)).toEqual({ ok: false, problem });
  });
});
