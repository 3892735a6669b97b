import { expect, test } from "vitest";
import { Contributions } from "../../src/hook/contribution.ts";
import { Instance } from "../../src/hook/instance.ts";
import { collect } from "../heap.ts";

const register = { add() {}, remove() {}, report() {} };
const instance = () => new Instance("pi", { path: "a.ts", tier: "user" }, register as never);

async function isCollected(value: WeakRef<object>): Promise<boolean> {
  await collect(10);
  return value.deref() === undefined;
}

test.for([
  ["replaces", () => {}],
  ["takes away", (undo: () => void) => undo()],
] as const)("an instance keeps no tool that its module %s", async ([, then]) => {
  const contributions = new Contributions(["pi"]);
  const owner = instance();
  const added = (value: object) => contributions.add("tool", "t", value, owner, "first");
  const first = ((value: object) => {
    then(added(value));
    return new WeakRef(value);
  })({ description: "first" });
  added({ description: "second" });
  expect(await isCollected(first)).toBe(true);
  expect(contributions.all("tool").size).toBe(1);
  owner.dispose();
  expect(contributions.all("tool").size).toBe(0);
});

test("an undo that was forgotten does not run, the others do, last in first out", () => {
  const ran: string[] = [];
  const owner = instance();
  owner.own(() => ran.push("first"));
  const forget = owner.own(() => ran.push("forgotten"));
  owner.own(() => ran.push("last"));
  forget();
  owner.dispose();
  expect(ran).toEqual(["last", "first"]);
});
