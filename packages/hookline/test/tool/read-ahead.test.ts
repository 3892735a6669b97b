import { expect, test } from "vitest";
import { readAhead } from "../../src/tool/read-ahead.ts";
import { collect } from "./folder.ts";

async function* count(to: number): AsyncGenerator<number> {
  for (let index = 0; index < to; index++) yield index;
}

test("the order is the source's, whatever is loaded first", async () => {
  const turns = (count: number): Promise<void> =>
    count === 0
      ? Promise.resolve()
      : new Promise<void>((resolve) => setImmediate(resolve)).then(() => turns(count - 1));
  const loaded = await collect(readAhead(count(20), 4, async (item) => turns((item * 7) % 5).then(() => item)));
  expect(loaded).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("no more than the width is under way at once", async () => {
  let running = 0;
  let most = 0;
  await collect(
    readAhead(count(20), 3, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    }),
  );
  expect(most).toBe(3);
});

test("a failed load is reported in its turn, and later failures are not unhandled rejections", async () => {
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of readAhead(count(9), 4, async (item) =>
      item < 2 ? item : Promise.reject(new Error(`no ${item}`)),
    ))
      seen.push(item);
  })();
  await expect(reading).rejects.toThrow(new Error("no 2"));
  expect(seen).toEqual([0, 1]);
});
