import { expect, test } from "vitest";
import { chosenId, newEntryId, newSessionId } from "../../src/session/id.ts";

test("an entry id is 8 hex digits that are free", () => {
  const random = ["aaaaaaaa-1", "bbbbbbbb-2"];
  expect(
    newEntryId(
      (id) => id === "aaaaaaaa",
      () => random.shift() ?? "",
    ),
  ).toBe("bbbbbbbb");
  expect(newEntryId(() => false)).toMatch(/^[0-9a-f]{8}$/);
});

test("after a hundred collisions an entry id is a whole UUID", () => {
  let asked = 0;
  const id = newEntryId(() => {
    asked += 1;
    return true;
  });
  expect(asked).toBe(100);
  expect(id).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
});

test("session ids are UUIDs of version 7 that sort by age, even within a millisecond and when the clock goes back", () => {
  const base = Date.now() + 1_000_000;
  const ids = Array.from({ length: 6000 }, (_, index) => newSessionId(base - (index % 3)));
  expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
    true,
  );
  expect(new Set(ids).size).toBe(6000);
  expect([...ids].sort()).toEqual(ids);
  expect(Number.parseInt(ids[0]?.replace("-", "").slice(0, 12) ?? "", 16)).toBe(base);
});

test("ids that people choose cannot name another folder", () => {
  for (const id of ["a", "A.b-c_1", "7"]) expect(chosenId(id)).toBe(id);
  for (const id of ["", ".", "..", "a/b", "../x", "-a", "a.", "a b"])
    expect(() => chosenId(id)).toThrow("Session id must be non-empty");
});
