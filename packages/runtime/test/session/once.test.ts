import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { diagnose } from "../../../ground/src/error/diagnostic.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function opened(onDiagnostic: (message: string) => void) {
  const home = mkdtempSync(join(tmpdir(), "hookline-once-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const runtime = createHookRuntime({ dialects: [], home, env: {} });
  onTestFinished(() => runtime.close());
  const scene = { sessionId: "s", cwd: home };
  return runtime.open({ scene, onDiagnostic: ({ message }) => onDiagnostic(message) });
}

const late = (problem: string) => diagnose("HOOK_LATE_ERROR", { path: "a.ts", problem });

test.for([
  ["short", "x"],
  ["long", "x".repeat(5000)],
] as const)("a problem with a %s text is told once", async ([, text]) => {
  const told: string[] = [];
  const session = await opened((message) => told.push(message));
  for (let time = 0; time < 3; time++) session.tell(late(text));
  session.tell(late(`y${text}`));
  expect(told).toHaveLength(2);
});

test("problems whose texts are never the same are all told, and a session keeps few of them", async () => {
  let told = 0;
  const session = await opened(() => told++);
  const heap = async () => {
    for (let round = 0; round < 4; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    return process.memoryUsage().heapUsed;
  };
  const before = await heap();
  for (let time = 0; time < 1000; time++) session.tell(late(`${time} ${"x".repeat(20_000)}`));
  expect(told).toBe(1000);
  expect((await heap()) - before).toBeLessThan(5_000_000);
  session.tell(late(`0 ${"x".repeat(20_000)}`));
  expect(told).toBe(1001);
});
