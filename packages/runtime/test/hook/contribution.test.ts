import fc from "fast-check";
import { expect, test } from "vitest";
import type { Tier } from "../../../ground/src/error/diagnostic.ts";
import { type Conflict, Contributions } from "../../src/hook/contribution.ts";
import { Instance } from "../../src/hook/instance.ts";

const conflicts: readonly Conflict[] = ["first", "last", "suffix"];
const added = fc.record({
  lane: fc.constantFrom("pi", "omp"),
  tier: fc.constantFrom<Tier>("managed", "user", "project"),
  conflict: fc.constantFrom(...conflicts),
});

function instanceOf(lane: string, tier: Tier, path: string, told: string[] = []): Instance {
  return new Instance(lane, { path, tier }, {
    add() {},
    remove() {},
    report: ({ message }: { readonly message: string }) => told.push(message),
  } as never);
}

test("a project never takes a name from a person, whatever the order, the lane and the rule", () => {
  fc.assert(
    fc.property(fc.array(added, { minLength: 1, maxLength: 6 }), (all) => {
      const contributions = new Contributions(["pi", "omp"]);
      for (const [at, { lane, tier, conflict }] of all.entries())
        contributions.add("tool", "bash", at, instanceOf(lane, tier, String(at)), conflict);
      const tier = contributions.all("tool").get("bash")?.instance.source.tier;
      expect(tier).toBe(["managed", "user", "project"].find((one) => all.some((own) => own.tier === one)));
      // With suffixes nothing is lost either.
      if (all.every(({ conflict }) => conflict === "suffix"))
        expect([...contributions.all("tool").values()].map(({ value }) => value).sort()).toEqual(
          all.map((_, at) => at),
        );
    }),
  );
});

test.each(conflicts)("the loser of a name is reported, under the rule %s", (conflict) => {
  for (const order of [
    ["project", "user"],
    ["user", "project"],
  ] as const) {
    const told: string[] = [];
    const contributions = new Contributions(["pi"]);
    for (const tier of order)
      contributions.add("tool", "bash", tier, instanceOf("pi", tier, `/${tier}`, told), conflict);
    const said = 'tool "bash" of /project is not used: /user already has the name';
    expect(told).toEqual(conflict === "suffix" ? [] : [said]);
  }
});
