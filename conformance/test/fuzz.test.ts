import { dialects } from "@hookline/runtime/dialects";
import { describe, expect, test } from "vitest";
import { rowTargets } from "../../prove/fuzz/rows.ts";
import { TEXTS } from "../../prove/fuzz/texts.ts";
import { fuzz } from "../../prove/fuzz.ts";
import { readCases } from "../requirement.ts";

describe("random input", () => {
  test.each(dialects.map((dialect) => [dialect.id, dialect] as const))(
    "crashes no decoder of %s",
    async (id, dialect) => {
      const targets = [...(TEXTS[id] ?? []), ...rowTargets(dialect, readCases(id))];
      expect(await fuzz(targets, 400, 1)).toEqual([]);
    },
  );

  test("a decoder that crashes, and one that gives what it must not, are named with what repeats it", async () => {
    const crashing = { name: "one", try: () => JSON.parse("{") };
    const wrong = { name: "two", try: () => "gives nonsense" };
    const found = await fuzz([crashing, wrong], 2, 7);
    expect(found[0]).toMatch(/^one crashes: SyntaxError.*HOOKLINE_SEED=7 trial 0/s);
    expect(found[1]).toBe("two gives nonsense (HOOKLINE_SEED=7 trial 1)");
  });
});
