import { expect, test, vi } from "vitest";
import { joinedSignal } from "../../src/port/joined-signal.ts";
import { collect } from "../heap.ts";

test("it is aborted with the first of its signals, for that reason, and follows no other", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const { signal } = joinedSignal(one.signal, undefined, two.signal);
  const told = vi.fn();
  signal.addEventListener("abort", told);
  expect(signal.aborted).toBe(false);
  two.abort("two");
  one.abort("one");
  expect([signal.aborted, signal.reason, told.mock.calls.length]).toEqual([true, "two", 1]);
});

test("it is aborted at once where one of its signals is", () => {
  const one = new AbortController();
  const { signal } = joinedSignal(one.signal, AbortSignal.abort("before"));
  expect([signal.aborted, signal.reason]).toEqual([true, "before"]);
  one.abort("later");
  expect(signal.reason).toBe("before");
});

test("once it is left, it follows no other signal", () => {
  const one = new AbortController();
  const { signal, leave } = joinedSignal(one.signal);
  leave();
  one.abort();
  expect(signal.aborted).toBe(false);
  expect(joinedSignal().signal.aborted).toBe(false);
});

test("a listener that is left at it keeps nothing", async () => {
  const long = new AbortController();
  const left: WeakRef<AbortSignal>[] = [];
  for (let n = 0; n < 20; n++) {
    const { signal, leave } = joinedSignal(long.signal, new AbortController().signal);
    signal.addEventListener("abort", () => {}, { once: true });
    left.push(new WeakRef(signal));
    leave();
  }
  await collect();
  expect(left.filter((one) => one.deref() !== undefined).length).toBeLessThanOrEqual(1);
});
