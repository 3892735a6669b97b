import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { CELLS, cells } from "../../../src/dialect/inprocess/watchdog.ts";
import { pi } from "../../../src/dialect/pi/index.ts";
import { createRuntime } from "../../../src/host/runtime.ts";
import { collect } from "../../heap.ts";

/** An extension that computes for `turnIndex` ms, and one that waits as long; on other events one that does both. */
const BUSY = `const busy = (ms: number) => {
  const end = Date.now() + ms;
  while (Date.now() < end) {}
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export default (pi: any) => {
  pi.on("turn_start", ({ turnIndex }: any) => busy(turnIndex));
  pi.on("turn_start", ({ turnIndex }: any) => pause(turnIndex));
  pi.on("agent_start", async () => {
    await pause(1);
    busy(3000);
  });
  pi.on("agent_end", async () => {
    await pause(1);
    busy(3000);
    await pause(600);
  });
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
  const runtime = createRuntime({ dialects: [pi], home, env: {} });
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
    /^HOOK_BLOCKED Hook "pi:.*busy\.ts#turn_start\[0\]" \(.*busy\.ts:\d+\) kept this process busy for \d{4} ms/,
  );
});

/** How often the main thread has beaten, and its watchdog has looked. */
const work = (): number[] => [cells[CELLS.beat] ?? 0, cells[CELLS.looks] ?? 0];
const isAsleep = (): boolean => cells[CELLS.asleep] === 1;
const asleep = (): Promise<unknown> => vi.waitUntil(isAsleep, { timeout: 120_000 });

test("nobody beats or looks while no handler runs, and a handler that blocks after that is named anyway", async () => {
  for (const _ of [1, 2]) {
    // Each tells of a hook once.
    const { session, told } = await opened();
    await asleep();
    const before = work();
    await pause(1000);
    expect(work()).toEqual(before);
    await session.emit("turn.start", { turnIndex: 3000, timestamp: 0 });
    expect(isAsleep()).toBe(false);
    expect(work().map((count, at) => count > (before[at] ?? 0))).toEqual([true, true]);
    expect(told).toEqual([expect.stringMatching(/^HOOK_BLOCKED Hook "pi:.*busy\.ts#turn_start\[0\]"/)]);
  }
});

test("after idle time a handler that keeps the process busy behind an await is reported", async () => {
  const { session, told } = await opened();
  await asleep();
  await session.emit("agent.start", {});
  expect(told).toEqual([expect.stringMatching(/^HOOK_STALLED .*busy\.ts#/)]);
});

test("a handler that is waited for keeps the watchdog awake, and one whose time is over does not", async () => {
  const home = mkdtempSync(join(tmpdir(), "hookline-watch-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, "never.ts");
  writeFileSync(
    path,
    `export default (pi: any) => {
      pi.on("turn_start", () => new Promise((resolve) => setTimeout(resolve, 2000)));
      pi.on("agent_start", () => new Promise(() => {}));
    };\n`,
  );
  const runtime = createRuntime({ dialects: [pi], home, env: {} });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({
    scene: { sessionId: "s", cwd: home },
    explicit: [path],
    settings: { handlerTimeoutMs: 3000 },
  });
  await asleep();
  const waiting = session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
  const seen: boolean[] = [];
  const look = setInterval(() => seen.push(isAsleep()), 50);
  await waiting;
  clearInterval(look);
  expect(seen).not.toHaveLength(0);
  expect(seen).not.toContain(true);
  await session.emit("agent.start", {});
  await asleep();
});

test("handlers that never settle are not kept, nor what was loaded with them", async () => {
  const home = mkdtempSync(join(tmpdir(), "hookline-watch-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, "never.ts");
  writeFileSync(path, 'export default (pi: any) => { pi.on("agent_start", () => new Promise(() => {})); };\n');
  const runtime = createRuntime({ dialects: [pi], home, env: {} });
  onTestFinished(() => runtime.close());
  const opened: WeakRef<object>[] = [];
  for (let n = 0; n < 5; n++) {
    const session = await runtime.open({
      scene: { sessionId: `s${n}`, cwd: home },
      explicit: [path],
      settings: { handlerTimeoutMs: 20 },
    });
    const { said, diagnostics } = await session.emit("agent.start", {});
    expect([said, diagnostics.map(({ code }) => code)]).toEqual([[], ["HOOK_TIMED_OUT"]]);
    opened.push(new WeakRef(session));
    await session.close();
  }
  await asleep();
  await vi.waitUntil(
    async () => {
      await collect();
      // The last one may be held by this function's own frame.
      return opened.filter((one) => one.deref() !== undefined).length <= 1;
    },
    { timeout: 20_000 },
  );
});

test("a handler whose time is over and that keeps the process busy later is named", async () => {
  const home = mkdtempSync(join(tmpdir(), "hookline-watch-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, "later.ts");
  writeFileSync(
    path,
    `let asked = 0;
    export default (pi: any) => (pi.on("agent_end", () => {}), pi.on("agent_start", async () => {
      if (asked++ > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const end = Date.now() + 3000;
      while (Date.now() < end) {}
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }));\n`,
  );
  const runtime = createRuntime({ dialects: [pi], home, env: {} });
  onTestFinished(() => runtime.close());
  const told: string[] = [];
  const session = await runtime.open({
    scene: { sessionId: "s", cwd: home },
    explicit: [path],
    settings: { handlerTimeoutMs: 20 },
    onDiagnostic: ({ code, message }) => told.push(`${code} ${message}`),
  });
  await looking(() => session.emit("agent.end", { messages: [] }));
  await session.emit("agent.start", {});
  // Somebody else's handler keeps the watchdog awake.
  const beats = setInterval(() => void session.emit("agent.start", {}), 100);
  await vi.waitUntil(() => told.some((text) => text.startsWith("HOOK_STALLED")), { timeout: 60_000 });
  clearInterval(beats);
  expect(told.find((text) => text.startsWith("HOOK_STALLED"))).toMatch(/later\.ts#/);
});

test("the watchdog is told about a hook once, however often its module is loaded", async () => {
  const home = mkdtempSync(join(tmpdir(), "hookline-watch-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, "often.ts");
  writeFileSync(path, 'export default (pi: any) => { pi.on("turn_start", () => {}); };\n');
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  onTestFinished(() => posted.mockRestore());
  const runtime = createRuntime({ dialects: [pi], home, env: {} });
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

test.each([
  ["agent.start", "agent_start", {}],
  ["agent.end", "agent_end", { messages: [] }],
] as const)("at %s a handler that keeps the process busy behind an await is reported", async (event, name, payload) => {
  const { session, told } = await opened();
  await session.emit(event, payload as never);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^HOOK_STALLED This process was busy for \d{4} ms while it waited for hook "pi:.*busy\.ts#/);
  expect(told[0]).toContain(` on ${name}`);
});
