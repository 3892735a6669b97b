import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "@hookline/runtime";
import { gatesDialect } from "./gates.ts";

const home = mkdtempSync(join(tmpdir(), "hookline-gates-"));
const runtime = createRuntime({ dialects: [gatesDialect], runUnapprovedProjectHooks: true, home });
try {
  const hooks = await runtime.open({ scene: { sessionId: "example", cwd: import.meta.dirname } });
  const { sources } = hooks.report;
  console.log(sources.map(({ path, state }) => `${state}  ${path.replace(import.meta.dirname, ".")}`).join("\n"));
  for (const command of ["ls", "rm -rf build"]) {
    const { answer } = await hooks.emit("tool.before", { toolCallId: command, tool: "bash", args: { command } });
    console.log(`${answer.decision ?? "allow"}  ${command}${answer.reason === undefined ? "" : `: ${answer.reason}`}`);
    assert.equal(answer.decision, command === "ls" ? undefined : "deny");
  }
  assert.deepEqual(
    sources.map(({ state }) => state),
    ["runs"],
  );
} finally {
  await runtime.close();
  rmSync(home, { recursive: true, force: true });
}
