import { expect, test } from "vitest";
import { approvedBy, cameTo, timeLeft } from "../../src/text/approval.ts";

test.each([
  [119_001, "2 min 0 s left"],
  [61_000, "1 min 1 s left"],
  [59_000, "59 s left"],
  [1, "1 s left"],
  [0, "0 s left"],
  [-5000, "0 s left"],
  [3_600_000, "1 h 0 min left"],
])("%d ms are shown as %s", (ms, text) => expect(timeLeft(ms)).toBe(text));

test("what became of a question is said in words", () => {
  const settled = (by: string, answer?: "allow" | "deny") =>
    cameTo({ state: "settled", settled: { by, ...(answer && { answer }) } });
  expect(settled("boss", "allow")).toBe("Approved by boss.");
  expect(settled("boss", "deny")).toBe("Denied by boss.");
  expect(settled("(here)")).toBe("Answered by whoever is at the machine.");
  expect(settled("(nobody)")).toBe(cameTo({ state: "expired" }));
  expect(cameTo({ state: "sent" })).toContain("on its way");
});

test("how many have approved is said with their names", () => {
  expect(approvedBy({ wanted: 2, by: [] })).toBe("0 of 2 approved");
  expect(approvedBy({ wanted: 3, by: ["anna", "bo"] })).toBe("2 of 3 approved: anna, bo");
});
