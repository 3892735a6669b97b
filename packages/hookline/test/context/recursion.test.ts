import { expect, test } from "vitest";
import { MAX_RECURSION_DEPTH, Recursion } from "../../src/context/contexts.ts";

const note = (text: string) => ({ prompt: `[Continuing from previous round]\n\nNote to self: ${text}` });

test("nothing follows a round in which no hook asked for another", () => {
  const recursion = new Recursion();
  recursion.ran("read", { note: "x" });
  expect(recursion.next(true)).toBeUndefined();
  expect(recursion.depth).toBe(0);
});

test("a note is followed once, at the next depth; the last note counts", () => {
  const recursion = new Recursion();
  recursion.ran("recurse", { note: "one" });
  recursion.ran("recurse", { note: "two" });
  expect(recursion.next(true)).toEqual(note("two"));
  expect(recursion.depth).toBe(1);
  expect(recursion.next(true)).toBeUndefined();
  expect(recursion.depth).toBe(0);
});

test("a round without a reply is followed by none, and its note is forgotten", () => {
  const recursion = new Recursion();
  recursion.ran("recurse", { note: "one" });
  expect(recursion.next(false)).toBeUndefined();
  expect(recursion.next(true)).toBeUndefined();
});

test("a call without a note continues with an empty one", () => {
  const recursion = new Recursion();
  recursion.ran("recurse", {});
  expect(recursion.next(true)).toEqual(note(""));
});

test("the limit ends the rounds, and the next prompt starts again", () => {
  const recursion = new Recursion();
  for (let round = 1; round < MAX_RECURSION_DEPTH; round++) {
    recursion.ran("recurse", { note: "more" });
    expect(recursion.next(true)).toEqual(note("more"));
  }
  recursion.ran("recurse", { note: "more" });
  expect(recursion.next(true)).toBe("limit");
  expect(recursion.depth).toBe(0);
});
