import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contextNameOf, isContextName, type KnownContexts } from "../../src/context/name.ts";

const known = (about: Partial<KnownContexts> = {}): KnownContexts => ({
  previous: undefined,
  now: new Date(2026, 0, 29, 7, 5, 9),
  exists: () => false,
  ...about,
});

test.each(["default", "a", "A-b_9", "--", "_"])("%j names a context", (name) => {
  expect(isContextName(name)).toBe(true);
});

test.each(["", "-", ".", "..", "a/b", "a b", "a.b", "ä", "a\n", "a".repeat(201)])("%j names none", (name) => {
  expect(isContextName(name)).toBe(false);
  if (name !== "-") expect(() => contextNameOf(name, known())).toThrow("cannot name a context");
});

test("no name leads out of a folder", () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      if (isContextName(name)) expect(name).not.toMatch(/[/\\.\0]/);
    }),
  );
});

describe("a request means", () => {
  test("the name that it is", () => expect(contextNameOf("work", known())).toBe("work"));

  test("the previous context, if there is one", () => {
    expect(contextNameOf("-", known({ previous: "old" }))).toBe("old");
    expect(() => contextNameOf("-", known())).toThrow("There is no previous context.");
  });

  test("a name made of the local time, with a prefix, that is free", () => {
    expect(contextNameOf("new", known())).toBe("20260129_070509");
    expect(contextNameOf("new:trip", known())).toBe("trip_20260129_070509");
    const taken = ["20260129_070509", "20260129_070509_2"];
    expect(contextNameOf("new", known({ exists: (name) => taken.includes(name) }))).toBe("20260129_070509_3");
    for (const request of ["new:", "new:a/b"])
      expect(() => contextNameOf(request, known())).toThrow("cannot name a context");
  });
});
