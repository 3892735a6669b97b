import fc from "fast-check";
import { expect, test } from "vitest";
import { jcli } from "../../../integrations/src/jcli/hooks/index.ts";
import { pi } from "../../../integrations/src/pi/hooks/index.ts";
import { catalog } from "../../src/catalog/catalog.ts";
import type { Hook } from "../../src/hook/hook.ts";
import type { Instance } from "../../src/hook/instance.ts";
import type { Lane } from "../../src/hook/lane.ts";
import { Registry } from "../../src/hook/registry.ts";

const live: Lane = { ...(pi.lanes[0] as Lane), id: "live", live: true };
const lanes = [...jcli.lanes, ...pi.lanes, live];
const NAMES = [...new Set(lanes.flatMap(({ rows }) => rows.map(({ name }) => name)))];
const EVENTS = [...new Set(lanes.flatMap(({ rows }) => rows.map(({ of }) => of)))].filter((event) =>
  catalog.has(event),
);

/** Returns the names of a plan's hooks, by station. */
function shown(registry: Registry, event: string): string[] {
  return (registry.plan(event)?.stations ?? []).map(
    ({ lane, row, hooks }) => `${lane.id} ${row.name}: ${hooks.map(({ id }) => id).join(" ")}`,
  );
}

/** The same from a list of all hooks in the order of their registration; `seats` has the instances as they came. */
function expected(
  all: readonly { readonly lane: string; readonly hook: Hook }[],
  seats: readonly Instance[],
  event: string,
): string[] {
  return lanes.flatMap((lane) =>
    lane.rows.flatMap((row) => {
      const hooks = all
        .filter(({ lane: id, hook }) => id === lane.id && hook.event === row.name)
        .sort((a, b) => seats.indexOf(a.hook.instance) - seats.indexOf(b.hook.instance));
      return row.of !== event || hooks.length === 0
        ? []
        : [`${lane.id} ${row.name}: ${hooks.map(({ hook }) => hook.id).join(" ")}`];
    }),
  );
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant("add"),
    lane: fc.nat(lanes.length - 1),
    name: fc.nat(NAMES.length - 1),
    instance: fc.nat(2),
  }),
  fc.record({ kind: fc.constant("remove"), at: fc.nat() }),
  fc.record({ kind: fc.constant("ask"), event: fc.nat(EVENTS.length - 1) }),
);

test("whenever a plan is asked for, it holds what is registered then, and keeps it", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const registry = new Registry(lanes, catalog, () => {});
      const all: { lane: string; hook: Hook }[] = [];
      const instances = ["x", "y", "z"].map((path) => ({ source: { path } }) as Instance);
      const seats: Instance[] = [];
      const asked: { hooks: readonly Hook[]; ids: readonly string[] }[] = [];
      for (const [index, one] of steps.entries()) {
        if ("lane" in one) {
          const instance = instances[one.instance] as Instance;
          if (!seats.includes(instance)) seats.push(instance);
          const hook = { id: `h${index}`, event: NAMES[one.name], instance } as Hook;
          const { id } = lanes[one.lane] as Lane;
          registry.add(id, hook);
          all.push({ lane: id, hook });
        } else if ("at" in one) {
          const [gone] = all.splice(one.at % Math.max(1, all.length), 1);
          if (gone !== undefined) registry.remove(gone.lane, gone.hook);
        } else {
          const event = EVENTS[one.event] as string;
          expect(shown(registry, event)).toEqual(expected(all, seats, event));
          for (const { lane, hooks } of registry.plan(event)?.stations ?? [])
            if (!lane.live) asked.push({ hooks, ids: hooks.map(({ id }) => id) });
        }
      }
      for (const event of EVENTS) {
        expect(shown(registry, event)).toEqual(expected(all, seats, event));
        expect(registry.planned(event) === null).toBe(expected(all, seats, event).length === 0);
      }
      // A dispatch goes on with the hooks that it began with.
      for (const { hooks, ids } of asked) expect(hooks.map(({ id }) => id)).toEqual(ids);
    }),
  );
});

test("a live lane's list shows to a dispatch what is added meanwhile", () => {
  const registry = new Registry(lanes, catalog, () => {});
  const [name, other] = ["tool_call", "turn_start"];
  const instance = {} as Instance;
  const add = (id: string, event: string): void => registry.add("live", { id, event, instance } as Hook);
  add("a", name as string);
  const before = registry.plan("tool.before")?.stations[0]?.hooks;
  add("b", name as string);
  add("c", other as string);
  expect(before?.map(({ id }) => id)).toEqual(["a", "b"]);
});
