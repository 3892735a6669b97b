import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { createHookRuntime } from "../../../runtime/src/session/runtime.ts";
import { CELLS, cells, WATCHDOG_THREAD } from "../../src/in-process/watchdog.ts";
import { pi } from "../../src/pi/hooks/index.ts";

/** An extension that computes for `turnIndex` ms of a processor, and one that waits as long. */
const BUSY = `const busy = (ms: number) => {
  const spent = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
  const end = spent() + ms;
  while (spent() < end) {}
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export default (pi: any) => {
  pi.on("turn_start", ({ turnIndex }: any) => busy(turnIndex));
  pi.on("turn_start", ({ turnIndex }: any) => pause(turnIndex));
};
`;

/** Waits until the watchdog's thread has begun to look; it does so only while handlers run. */
async function looking(ask: () => unknown): Promise<void> {
  const before = cells[CELLS.looks];
  while (cells[CELLS.looks] === before) {
    await ask();
    await pause(20);
  }
}

async function opened() {
  const home = mkdtempSync(join(tmpdir(), "hookline-watch-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, "busy.ts");
  mkdirSync(home, { recursive: true });
  writeFileSync(path, BUSY);
  const told: string[] = [];
  const runtime = createHookRuntime({ dialects: [pi], home, env: {} });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({
    scene: { sessionId: "s", cwd: home },
    explicit: [path],
    onDiagnostic: ({ code, message }) => told.push(`${code} ${message}`),
  });
  await looking(() => session.emit("turn.start", { turnIndex: 0, timestamp: 0 }));
  return { session, told };
}

test("a handler that keeps the process busy is named with its time, and one that only waits is not", async () => {
  const { session, told } = await opened();
  await session.emit("turn.start", { turnIndex: 10, timestamp: 0 });
  expect(told).toEqual([]);
  await session.emit("turn.start", { turnIndex: 3000, timestamp: 0 });
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(
    /^HOOK_BLOCKED Hook "pi:.*busy\.ts#turn_start\[0\]" \(.*busy\.ts:\d+\) kept this process busy for \d{4,} ms/,
  );
});

test("the time in which the main thread had no processor is not the handler's", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-watch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const schedule = join(folder, "schedstat");
  const waited = (ms: number): void => writeFileSync(schedule, `1000 ${ms * 1e6} 3\n`);
  const own = new Int32Array(new SharedArrayBuffer(Object.keys(CELLS).length * Int32Array.BYTES_PER_ELEMENT));
  const look = (cell: number): number => Atomics.load(own, cell);
  const looks = async (count: number): Promise<void> => {
    const until = look(CELLS.looks) + count;
    await vi.waitUntil(() => look(CELLS.looks) >= until, { timeout: 60_000 });
  };
  waited(500);
  const workerData = { cells: own, overdueMs: 100, loudMs: 1e9, lookMs: 10, sleepAfter: 1e9, schedule };
  const thread = new Worker(WATCHDOG_THREAD, { eval: true, workerData });
  onTestFinished(async () => void (await thread.terminate()));
  await looks(2);
  Atomics.store(own, CELLS.entered, 1);
  await looks(2);
  waited(1e6);
  await looks(40);
  expect(look(CELLS.overdue)).toBe(0);
  waited(500);
  await vi.waitUntil(() => look(CELLS.overdue) === 1, { timeout: 60_000 });
});

const isAsleep = (): boolean => cells[CELLS.asleep] === 1;
const asleep = (): Promise<unknown> => vi.waitUntil(isAsleep, { timeout: 120_000 });

test("nobody looks while no handler runs, and a handler that blocks after that is named anyway", async () => {
  for (const _ of [1, 2]) {
    // Each tells of a hook once.
    const { session, told } = await opened();
    await asleep();
    const before = cells[CELLS.looks];
    await pause(1000);
    expect(cells[CELLS.looks]).toBe(before);
    await session.emit("turn.start", { turnIndex: 3000, timestamp: 0 });
    expect(cells[CELLS.looks]).toBeGreaterThan(before ?? 0);
    expect(told).toEqual([expect.stringMatching(/^HOOK_BLOCKED Hook "pi:.*busy\.ts#turn_start\[0\]"/)]);
  }
});

test("the watchdog is told about a hook once, however often its module is loaded", async () => {
  const home = mkdtempSync(join(tmpdir(), "hookline-watch-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, "often.ts");
  writeFileSync(path, 'export default (pi: any) => { pi.on("turn_start", () => {}); };\n');
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  onTestFinished(() => posted.mockRestore());
  const runtime = createHookRuntime({ dialects: [pi], home, env: {} });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s", cwd: home }, explicit: [path] });
  for (let load = 0; load < 20; load++) {
    await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
    await session.load();
  }
  await vi.waitUntil(() => posted.mock.calls.length > 0, { timeout: 60_000 });
  const names = posted.mock.calls.map(([message]) => String(message[1]));
  expect(names.filter((name) => name.includes("often.ts"))).toHaveLength(1);
});
