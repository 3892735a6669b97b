import { expect, test } from "vitest";
import { randomBytes, randomUuid } from "../../../ground/src/store/random.ts";

test("random bytes are as many as asked for, and differ", () => {
  for (const count of [0, 1, 6, 1000]) expect(randomBytes(count)).toHaveLength(count);
  expect(randomBytes(16)).not.toEqual(randomBytes(16));
});

test("a random UUID says that it is one, and comes once", () => {
  const all = Array.from({ length: 1000 }, randomUuid);
  for (const one of all) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(all).size).toBe(1000);
});
