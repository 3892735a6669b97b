import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { diagnose } from "../../../ground/src/error/diagnostic.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { keptByRound } from "../heap.ts";

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
  let texts = 0;
  const kept = await keptByRound(() => {
    for (let time = 0; time < 1000; time++) session.tell(late(`${texts++} ${"x".repeat(20_000)}`));
  });
  expect(told).toBe(texts);
  expect(kept).toBeLessThan(5_000_000);
  session.tell(late(`0 ${"x".repeat(20_000)}`));
  expect(told).toBe(texts + 1);
});
