import { expect, test } from "vitest";
import { claim } from "../../../../prove/screen.ts";

test("no text has an effect on the terminal, wherever it is shown", async () => {
  const { n, violations, notes } = await claim.run("quick", {});
  expect(notes.slice(1)).toEqual([]);
  expect([n, violations]).toEqual([28 * 10, 0]);
}, 180_000);
