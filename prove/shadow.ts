import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jcli } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import type { Claim } from "./claim.ts";
import { SCENE } from "./stage/events.ts";
import { findingOf, type Tally } from "./stage/experiment.ts";
import { folder } from "./stage/ground.ts";

/** Guards that would refuse every call, or do worse, as shell commands. */
const KINDS: Readonly<Record<string, string>> = {
  "refuses at once": `echo '{"action":"stop"}'`,
  "is slow": `sleep 0.5; echo '{"action":"stop"}'`,
  "never ends": "sleep 1000",
  "leaves a child with its output": `sleep 1000 & echo '{"action":"stop"}'`,
  "is killed": "kill -9 $$",
  "fails where a failure refuses": "exit 3",
  "writes without an end": "yes",
  "answers nonsense": "echo nonsense",
  "rewrites the call": `echo '{"tool_arguments":"{\\"command\\":\\"rm -rf /\\"}"}'`,
};

/**
 * More than anything takes that does not wait for the shadow hook, and less than the limit of a hook that never ends.
 */
const WAITED_MS = 5000;
/** Time limit for the end of a session: its two seconds, and a margin for a busy machine. */
const ENDED_MS = 10_000;

const EDITED = { command: "pwd" };

/** A guard in shadow beside a hook that counts; makes enough calls to fill its queue, then ends the session. */
async function beside(kind: string, moments: number, tally: Tally): Promise<void> {
  using home = folder();
  const path = join(home.path, ".jdata/agent/hooks.yaml");
  mkdirSync(join(home.path, ".jdata/agent"), { recursive: true });
  const command = JSON.stringify(KINDS[kind]);
  writeFileSync(path, `pre_tool_execution:\n  - command: ${command}\n    timeout: 8\n    on_error: abort\n`);
  const env = { PATH: process.env["PATH"] };
  const runtime = createHookRuntime({ dialects: [jcli], home: home.path, env });
  const session = await runtime.open({ scene: { ...SCENE, cwd: home.path }, settings: { shadow: [path] } });
  session.on("tool.before", () => ({ args: EDITED }));
  const hook = session.hooks().find(({ lane }) => lane === "jcli")?.hook;
  for (let i = 0; i < moments; i++) {
    const started = performance.now();
    const { answer } = await session.emit("tool.before", { tool: "bash", toolCallId: `${i}`, args: { command: "ls" } });
    const problem = wrong(answer, performance.now() - started);
    tally.trial(problem && `a guard that ${kind} ${problem}`);
    // One call is enough; hundreds would each wait for it.
    if (problem !== undefined) return runtime.close();
    // A host does other work between calls.
    if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const started = performance.now();
  await session.close();
  const ms = performance.now() - started;
  tally.trial(ms > ENDED_MS ? `the end took ${Math.round(ms)} ms beside a guard that ${kind}` : undefined);
  const { asked = 0, dropped = 0 } = hook?.metrics.shadow ?? {};
  const isCounted = asked + dropped === moments;
  tally.trial(isCounted ? undefined : `of ${moments} moments ${asked} were asked and ${dropped} dropped: ${kind}`);
  if (hook?.metrics.blocked !== 0) tally.trial(`a guard that ${kind} counts as one that refused`);
  await runtime.close();
}

/** What is wrong with a call beside a guard in shadow. */
function wrong(answer: object, ms: number): string | undefined {
  if (JSON.stringify(answer) !== JSON.stringify({ args: EDITED }))
    return `changed an outcome: ${JSON.stringify(answer)}`;
  return ms > WAITED_MS ? "was waited for" : undefined;
}

export const claim: Claim = {
  name: "shadow",
  says: "a hook in shadow changes no outcome and holds up nothing, whatever it does; every moment that it missed is counted",
  run: (size) =>
    findingOf(
      [
        {
          id: "shadow",
          async run(tally, { full }) {
            await Promise.all(Object.keys(KINDS).map((kind) => beside(kind, full ? 2000 : 300, tally)));
          },
        },
      ],
      size,
    ),
};
