import { expect, test } from "vitest";
import { abortable } from "../../src/tool/abort.ts";

test("an abort before the start keeps the work from starting", async () => {
  let started = false;
  const work = abortable(AbortSignal.abort(), async () => {
    started = true;
  });
  await expect(work).rejects.toThrow(new Error("Operation aborted"));
  expect(started).toBe(false);
});

test("an abort rejects although the work never ends", async () => {
  const controller = new AbortController();
  const work = abortable(controller.signal, () => new Promise(() => {}));
  controller.abort();
  await expect(work).rejects.toThrow(new Error("Operation aborted"));
});

test("a late failure of abandoned work is not an unhandled rejection", async () => {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const work = abortable(controller.signal, () => promise);
  controller.abort();
  await expect(work).rejects.toThrow("Operation aborted");
  reject(new Error("late"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("without an abort the result and the error pass through", async () => {
  const { signal } = new AbortController();
  expect(await abortable(signal, async () => 1)).toBe(1);
  expect(await abortable(undefined, async () => 2)).toBe(2);
  await expect(abortable(signal, () => Promise.reject(new Error("own")))).rejects.toThrow(new Error("own"));
});
