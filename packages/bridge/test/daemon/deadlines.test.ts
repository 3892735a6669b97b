import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Deadlines } from "../../src/daemon/deadlines.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("each limit ends when its own time is over, and not when the call is", () => {
  const deadlines = new Deadlines();
  const ended: string[] = [];
  const set = (name: string, ms: number) => deadlines.set(ms, () => ended.push(name));
  set("long", 1000);
  const over = set("over", 900);
  set("short", 100);
  vi.advanceTimersByTime(99);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(["short"]);
  over();
  set("next", 500);
  vi.advanceTimersByTime(500);
  expect(ended).toEqual(["short", "next"]);
  vi.advanceTimersByTime(400);
  expect(ended).toEqual(["short", "next", "long"]);
  set("again", 10);
  vi.advanceTimersByTime(10);
  expect(ended).toEqual(["short", "next", "long", "again"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a limit that ends may set another", () => {
  const deadlines = new Deadlines();
  const ended = vi.fn();
  deadlines.set(10, () => deadlines.set(5, ended));
  vi.advanceTimersByTime(14);
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ended).toHaveBeenCalledOnce();
});
