import { afterEach, expect, test, vi } from "vitest";
import { Sessions } from "../../src/daemon/sessions.ts";
import { rig } from "../fixtures/rig.ts";

afterEach(() => void vi.useRealTimers());

test("a session is closed when it has rested long enough since its last call, and not during one", async () => {
  vi.useFakeTimers();
  const closed: string[] = [];
  const session = { listens: () => false, refusal: undefined, close: async () => void closed.push("closed") };
  const log = (): void => {};
  const sessions = new Sessions({ open: async () => session as never, log, idleMs: 1000 });
  const parts = { host: rig, id: "s", cwd: "/", env: {}, log };
  const call = (work: () => Promise<void>): Promise<void> => sessions.with(parts, "Before", work);

  await call(async () => {});
  await vi.advanceTimersByTimeAsync(600);
  await call(async () => {});
  await vi.advanceTimersByTimeAsync(600);
  expect(sessions.size).toBe(1);

  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const long = call(() => held);
  await vi.advanceTimersByTimeAsync(5000);
  expect(sessions.size).toBe(1);
  go();
  await long;
  await vi.advanceTimersByTimeAsync(2000);
  expect([sessions.size, closed]).toEqual([0, ["closed"]]);

  await call(async () => {});
  expect(sessions.size).toBe(1);
  await sessions.closeAll();
  expect(closed).toEqual(["closed", "closed"]);
});

test("who closes all waits for the sessions that are being closed already", async () => {
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const session = { listens: () => false, refusal: undefined, close: () => held };
  const log = (): void => {};
  const sessions = new Sessions({ open: async () => session as never, log });
  await sessions.with({ host: rig, id: "s", cwd: "/", env: {}, log }, "End", async () => {});
  const ending = sessions.end(rig, "s");
  let isClosed = false;
  const closing = sessions.closeAll().then(() => (isClosed = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(false);
  go();
  await Promise.all([ending, closing]);
});
