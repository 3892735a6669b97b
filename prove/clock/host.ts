import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jcli, omp, pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { SCENE } from "../stage/events.ts";
import { type Placed, staged } from "../stage/functions.ts";

/**
 * A host in its own process, whose clock may jump. It asks fast, slow, too slow and retried hooks, and prints one line
 * for each decision, with the wall time at its end.
 */
const home = mkdtempSync(join(tmpdir(), "hookline-clock-"));
mkdirSync(join(home, ".jdata/agent"), { recursive: true });
const hooks: readonly string[] = [
  '{command: "sleep 0.2; echo {}", timeout: 20, filter: {tool_name: Slow}}',
  '{command: "sleep 30", timeout: 1, on_error: abort, filter: {tool_name: Hung}}',
  '{command: "sleep 30", timeout: 1, filter: {tool_name: Skipped}}',
  '{command: "exit 1", retry: 2, on_error: abort, filter: {tool_name: Broken}}',
];
writeFileSync(
  join(home, ".jdata/agent/hooks.yaml"),
  `pre_tool_execution:\n${hooks.map((one) => `  - ${one}\n`).join("")}`,
);
const wait = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));
const placed: Placed[] = [
  {
    lane: "omp",
    event: "tool_call",
    path: "/in-time",
    run: ({ toolName }) => (toolName === "late" ? wait(100)() : undefined),
  },
  { lane: "pi", event: "turn_start", path: "/late", run: wait(5000), timeoutMs: 300 },
];
const runtime = createHookRuntime({
  dialects: [jcli, staged(omp, () => placed), staged(pi, () => placed)],
  home,
  env: { PATH: process.env["PATH"] },
});
const told: string[] = [];
const session = await runtime.open({
  scene: { ...SCENE, cwd: home },
  onDiagnostic: ({ code, event }) => told.push(`${code} ${event}`),
});
const lines: string[] = [];
const note = (what: string): void => void lines.push(`${what} ${told.splice(0).sort().join(",")} at ${Date.now()}`);
for (const tool of ["Slow", "Hung", "Skipped", "Broken", "late", "plain"]) {
  const { blocked } = await session.wrap({ tool, toolCallId: "1", args: {} }, () => "done");
  note(`${tool} ${blocked ? "refused" : "ran"}`);
}
await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
note("turn");
await runtime.close();
rmSync(home, { recursive: true });
process.stdout.write(`${JSON.stringify(lines)}\n`, () => process.exit(0));
