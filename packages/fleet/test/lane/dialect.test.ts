import { dialects } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { fleetDialect } from "../../src/lane/dialect.ts";
import type { Membership } from "../../src/place/joined.ts";

const home = NO_HOME;
const membership = { fleet: "acme", from: `${home}/fleet.json`, folder: home } as Membership;

test("a fleet's lane is after all others and before the host's own handlers, however dialects are given", () => {
  const own = fleetDialect({ membership });
  for (const given of [
    [own, ...dialects],
    [...dialects, own],
  ]) {
    const lanes = createHookRuntime({ dialects: given, home, hooklineHome: home }).lanes.map(({ id }) => id);
    expect(lanes.slice(-2)).toEqual(["fleet", "library"]);
  }
});
