import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { pi } from "../../../src/dialect/pi/index.ts";
import { createRuntime } from "../../../src/host/runtime.ts";

/** An extension that computes for `turnIndex` ms, and one that waits as long. */
const BUSY = `export default (pi: any) => {
  pi.on("turn_start", ({ turnIndex }: any) => {
    const end = Date.now() + turnIndex;
    while (Date.now() < end) {}
  });
  pi.on("turn_start", ({ turnIndex }: any) => new Promise((resolve) => setTimeout(resolve, turnIndex)));
};
`;

test("a handler that keeps the process busy is named with its time, and one that only waits is not", async () => {
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
  await pause(500);
  await session.emit("turn.start", { turnIndex: 10, timestamp: 0 });
  expect(told).toEqual([]);
  await session.emit("turn.start", { turnIndex: 3000, timestamp: 0 });
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(
    /^HOOK_BLOCKED Hook "pi:.*busy\.ts#turn_start\[0\]" \(.*busy\.ts:\d+\) kept this process busy for \d{4} ms/,
  );
});
