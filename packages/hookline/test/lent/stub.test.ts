import { expect, test } from "vitest";
import { STUB_NAMES } from "../../src/lent/stubs.ts";
import { lentPlace } from "./lent.ts";

test("a name that only the real program has can be imported, extended and tested for, and throws when it is used", async () => {
  await using place = lentPlace();
  const pi = await place.use("pi-coding-agent", ...STUB_NAMES);
  for (const name of STUB_NAMES) {
    const value = pi[name];
    expect(value.name).toBe(name);
    expect({} instanceof value, name).toBe(false);
    class Derived extends value {}
    for (const use of [() => value(), () => new value(), () => value.create(), () => new Derived()])
      expect(use, name).toThrow(
        new RegExp(`^${name} of @earendil-works/pi-coding-agent exists only in the real program`),
      );
  }
});

test("handing one on as a promise's value throws nothing", async () => {
  await using place = lentPlace();
  const { RpcClient } = await place.use("pi-coding-agent", "RpcClient");
  expect(await RpcClient).toBe(RpcClient);
});
