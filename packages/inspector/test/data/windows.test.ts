import { expect, test } from "vitest";
import type { MomentItem, Moments } from "../../../hookline/src/inspect/api.ts";
import { Windows } from "../../src/data/windows.ts";

const WINDOW = 500;
const item = (n: number): MomentItem => ({ n, t: n, ms: 0, event: "tool.before", asked: 0, marks: [] });

/** A list of `total` moments that answers when it is told to. */
function served(total: number) {
  const asked: number[] = [];
  const waiting: (() => void)[] = [];
  const list: { total: number; decision?: "deny" } = { total };
  const failures: unknown[] = [];
  const windows = new Windows<MomentItem>(
    WINDOW,
    (place, count) => {
      const from = "from" in place ? place.from : place.around - 1;
      asked.push(from);
      return new Promise<Moments>((resolve) => {
        waiting.push(() => {
          const length = Math.max(0, Math.min(count, list.total - from));
          const items = Array.from({ length }, (_, at) => ({ ...item(from + at + 1), ...list }));
          resolve({ v: 1, total: list.total, from, partial: false, items });
        });
      });
    },
    (thrown) => failures.push(thrown),
  );
  const answer = async (): Promise<void> => {
    while (waiting.length > 0) {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { windows, asked, answer, list, failures };
}

test("only windows that are looked at are asked for", async () => {
  const { windows, asked, answer } = served(100_000);
  await answer();
  expect(asked).toEqual([0]);
  expect(windows.total.value).toBe(100_000);
  expect(windows.at(0)?.n).toBe(1);
  windows.want(60_000, 60_020);
  expect(windows.at(60_000)).toBeUndefined();
  await answer();
  expect(asked).toEqual([0, 60_000]);
  expect(windows.at(60_000)?.n).toBe(60_001);
  expect(windows.indexOf(60_001)).toBe(60_000);
});

test("of a list that is scrolled through quickly, what is no longer looked at is not asked for", async () => {
  const { windows, asked, answer } = served(100_000);
  await answer();
  for (let at = 1; at < 100; at += 1) windows.want(at * WINDOW, at * WINDOW + 20);
  await answer();
  expect(asked.length).toBeLessThanOrEqual(4);
  expect(windows.at(99 * WINDOW)?.n).toBe(99 * WINDOW + 1);
});

test("old windows are forgotten", async () => {
  const { windows, answer } = served(100_000);
  await answer();
  for (let at = 1; at < 60; at += 1) {
    windows.want(at * WINDOW, at * WINDOW);
    await answer();
  }
  expect(windows.at(0)).toBeUndefined();
  expect(windows.at(59 * WINDOW)).toBeDefined();
});

test("what a list has grown by is asked for", async () => {
  const { windows, asked, answer, list } = served(510);
  await answer();
  windows.want(500, 509);
  await answer();
  list.total = 1200;
  windows.grew();
  await answer();
  expect(windows.total.value).toBe(1200);
  expect(windows.at(600)?.n).toBe(601);
  expect(asked).toEqual([0, 500, 500]);
});

test("a moment that has changed is shown as it is now", async () => {
  const { windows, answer, asked, list } = served(1200);
  await answer();
  windows.want(0, 1199);
  await answer();
  list.decision = "deny";
  windows.changed(703);
  await answer();
  expect(windows.at(702)?.decision).toBe("deny");
  // Only an item of the window before may have changed; the others are as they were.
  expect(asked.slice(-2).sort()).toEqual([0, 500]);
  expect(windows.at(1100)?.decision).toBeUndefined();
});

test("a failure is reported, except that of abandoned work", async () => {
  const failures: unknown[] = [];
  const failing = new Windows(
    WINDOW,
    () => Promise.reject(new Error("no")),
    (thrown) => failures.push(thrown),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toHaveLength(1);
  failing.close();
  const closed = new Windows<MomentItem>(
    WINDOW,
    (_, __, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
    (thrown) => failures.push(thrown),
  );
  closed.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toHaveLength(1);
});

test("a moment is found whose window is not here", async () => {
  const { windows, answer } = served(100_000);
  await answer();
  const place = windows.locate(77_777);
  await answer();
  expect(await place).toBe(77_776);
  const none = windows.locate(200_000);
  await answer();
  expect(await none).toBeUndefined();
});
