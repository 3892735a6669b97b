import assert from "node:assert/strict";
import { createRuntime } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";

/** The decision of a project's hooks about each command; no command is run. */
async function judge(cwd: string, commands: readonly string[]) {
  const runtime = createRuntime({ dialects, runUnapprovedProjectHooks: true });
  const hooks = await runtime.open({ scene: { sessionId: "ci", cwd } });
  const verdicts: { command: string; allowed: boolean; why: string; by: string }[] = [];
  for (const [i, command] of commands.entries()) {
    const { answer, hooks: runs } = await hooks.emit("tool.before", {
      toolCallId: `c${i}`,
      tool: "bash",
      args: { command },
    });
    const by = runs.find(({ status }) => status === "answered")?.place ?? "";
    const allowed = answer.decision !== "deny" && answer.decision !== "ask";
    verdicts.push({ command, allowed, why: answer.reason ?? "", by: by.replace(`${cwd}/`, "") });
  }
  await runtime.close();
  return verdicts;
}

const given = process.argv.slice(2);
const commands = given.length > 0 ? given : ["npm test", "npm publish", "git push --force"];
const verdicts = await judge(import.meta.dirname, commands);
for (const { command, allowed, why, by } of verdicts)
  console.log(`${allowed ? "allowed" : "REFUSED"}  ${command}${allowed ? "" : `: ${why} (${by})`}`);

if (given.length === 0) {
  assert.deepEqual(
    verdicts.map(({ allowed }) => allowed),
    [true, false, false],
  );
  assert.match(verdicts[1]?.by ?? "", /^\.omp\/hooks\/pre\/deploy\.ts/);
} else process.exitCode = verdicts.every(({ allowed }) => allowed) ? 0 : 1;
