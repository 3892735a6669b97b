import { catalog } from "@hookline/runtime/engine";
import { describe, expect, test } from "vitest";
import { digestWord, eventOf, eventWord, nameProblem, namesOf } from "../../src/name/subjects.ts";

const DIGEST = "0123456789abcdef".repeat(4);

describe("the names of a fleet", () => {
  const names = namesOf("acme");

  test.each([
    [names.ask(DIGEST, "tool.before"), "hookline.acme.ask.0123456789abcdef.tool_before"],
    [names.ask(DIGEST, "tool.cache-before"), "hookline.acme.ask.0123456789abcdef.tool_cache-before"],
    [names.decisions("laptop-7", "a1"), "hookline.acme.dec.laptop-7.a1"],
    [names.policy("stable"), "hookline.acme.policy.stable"],
    [names.approval("laptop-7", "x1"), "hookline.acme.approval.laptop-7.x1"],
    [names.approved("laptop-7", "x1"), "hookline.acme.approved.laptop-7.x1"],
    [names.inbox("laptop-7"), "hookline.acme.inbox.laptop-7"],
    [names.stream, "HL_acme_DEC"],
    [names.buckets.policy, "hl_acme_policy"],
    [names.buckets.blobs, "hl_acme_blobs"],
    [names.buckets.presence, "hl_acme_presence"],
  ])("%s", (found, wanted) => expect(found).toBe(wanted));

  test("a wildcard stands for all", () => {
    expect(names.ask("*", "*")).toBe("hookline.acme.ask.*.*");
    expect(names.decisions("*", "*")).toBe("hookline.acme.dec.*.*");
  });

  test("every event of the catalog has a word of its own, which leads back to it", () => {
    const words = [...catalog.keys()].map(eventWord);
    expect(new Set(words).size).toBe(catalog.size);
    expect(words.map(eventOf)).toEqual([...catalog.keys()]);
    for (const word of words) expect(word).toMatch(/^[a-z0-9_-]+$/);
  });

  test("sixteen digits of a digest stand in a subject", () => {
    expect(digestWord(DIGEST)).toBe("0123456789abcdef");
  });
});

describe("a name", () => {
  test.each(["a", "laptop-7", "0", "a".repeat(40)])("%s can be used", (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });

  test.each(["", "A", "a.b", "a b", "*", ">", "a_b", "ä", "a".repeat(41), "a\n", "../a"])("%j cannot", (name) => {
    expect(nameProblem(name)).toContain("a-z, 0-9 and -");
    expect(() => namesOf(name)).toThrow("a-z, 0-9 and -");
  });
});
