import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CAPABILITIES, Host } from "../agent-hooks/host.ts";
import { canonical, identityOf, OutsideDomain } from "../agent-hooks/identity.ts";
import { differences } from "../agent-hooks/judge.ts";
import { vectors } from "../agent-hooks/vector.ts";

const all = vectors();
const applicable = all.filter(({ capabilities }) => capabilities.every((one) => CAPABILITIES.includes(one)));

describe("the vectors of AGENT-HOOKS-0.1, through the library's dispatch", () => {
  test.each(applicable.map((vector) => [vector.id, vector.title, vector] as const))("%s: %s", async (_, __, vector) => {
    expect(differences(vector, await new Host(vector).run())).toEqual([]);
  });

  test("are 51, of which 44 apply", () => {
    expect([all.length, applicable.length]).toEqual([51, 44]);
  });

  test("a judge that is shown the run of another vector finds differences", async () => {
    const runs = await Promise.all(applicable.map(async (vector) => new Host(vector).run()));
    for (const [n, vector] of applicable.entries()) {
      const others = runs.filter((ran, m) => m !== n && differences(vector, ran).length > 0);
      expect(others.length, vector.id).toBeGreaterThan(applicable.length / 2);
    }
  });
});

describe("the golden identities", () => {
  const text = readFileSync(join(import.meta.dirname, "../agent-hooks/golden.json"), "utf8");
  const { fixtures } = JSON.parse(text) as {
    fixtures: {
      id: string;
      ctx: object;
      expect: { canonical_json: string; context_identity: string; error?: string };
    }[];
  };
  const isWrong = (id: string): boolean => id.startsWith("G-15");

  test.each(fixtures.filter(({ id }) => !isWrong(id)))("$id", ({ ctx, expect: expected }) => {
    if (expected.error !== undefined) {
      expect(() => identityOf(ctx as never)).toThrow(OutsideDomain);
      return;
    }
    expect(canonical(ctx)).toBe(expected.canonical_json);
    expect(identityOf(ctx as never)).toBe(expected.context_identity);
  });

  test("G-15 is wrong in the kit: its text is not the shortest one of its double, but that of the neighbour", () => {
    const { ctx, expect: expected } = fixtures.find(({ id }) => isWrong(id)) as (typeof fixtures)[number];
    const { f } = (ctx as { target: { f: number } }).target;
    const bitsOf = (value: number): bigint => new BigUint64Array(new Float64Array([value]).buffer)[0] as bigint;
    expect(bitsOf(f)).toBe(0x44b52d02c7e14af5n);
    expect(String(f)).toBe("9.999999999999997e+22");
    expect(expected.canonical_json).toContain('"f":9.999999999999996e+22');
    expect(bitsOf(9.999999999999996e22)).toBe(0x44b52d02c7e14af4n);
    expect(canonical(ctx).replaceAll(String(f), "9.999999999999996e+22")).toBe(expected.canonical_json);
  });
});
