import { expect, test } from "vitest";
import { Tidings } from "../../src/mcp/tidings.ts";

test("the first hundred notifications wait, in order, for hooks that are busy or not loaded; more are dropped", async () => {
  const heard: unknown[] = [];
  let dropped = 0;
  let hold = Promise.withResolvers<void>();
  hold.resolve();
  const tidings = new Tidings(
    async (server, { params }) => {
      heard.push([server, params["at"]]);
      await hold.promise;
      if (params["at"] === 3) throw new Error("a hook failed");
    },
    () => void (dropped += 1),
  );
  const take = (from: number, to: number): unknown[] => {
    const all = Array.from({ length: to - from }, (_, index) => from + index);
    for (const at of all) tidings.take("one", { method: "notifications/message", params: { at } });
    return all.map((at) => ["one", at]);
  };
  const first = take(0, 100);
  take(100, 130);
  expect([heard, dropped]).toEqual([[], 30]);
  tidings.begin();
  await expect.poll(() => heard).toEqual(first);
  // One is being told while a hundred wait.
  hold = Promise.withResolvers<void>();
  const later = take(200, 301);
  take(301, 311);
  expect(dropped).toBe(40);
  hold.resolve();
  await expect.poll(() => heard).toEqual([...first, ...later]);
});
