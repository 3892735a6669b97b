import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jcli, omp, pi } from "@hookline/runtime/dialects";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { CHILD_ENV } from "../../scripts/child-env.ts";
import { SCENE } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";
import { type Placed, staged } from "../stage/functions.ts";
import { folder } from "../stage/ground.ts";

/** A program that refuses calls with the word; its filter names one tool of ten. */
const GUARD = `pre_tool_execution:
  - command: 'read -r line; case "$line" in *forbidden*) echo "{\\"action\\":\\"stop\\"}";; esac'
    filter:
      tool_name: grep
`;
const EVENTS = 100;

/** R62: many sessions at once decide the same as one after the other. */
export const load: Experiment = {
  id: "R62",
  async run(tally, { full }) {
    using home = folder();
    mkdirSync(join(home.path, ".jdata/agent"), { recursive: true });
    writeFileSync(join(home.path, ".jdata/agent/hooks.yaml"), GUARD);
    const guard: Placed["run"] = async ({ input }) => {
      await Promise.resolve();
      return String(input.command).includes("forbidden") ? { block: true, reason: "no" } : undefined;
    };
    const hooks: Placed[] = ["omp", "pi"].map((lane) => ({ lane, event: "tool_call", run: guard }));
    const runtime = createHookRuntime({
      dialects: [jcli, staged(omp, () => hooks), staged(pi, () => hooks)],
      home: home.path,
      env: CHILD_ENV,
    });
    const sessions = full ? 1000 : 30;
    const ms: number[] = [];
    const one = async (session: HookSession, n: number): Promise<void> => {
      for (let i = 0; i < EVENTS; i++) {
        const isProgram = i % 10 === 0;
        const refused = (i + n) % 3 === 0;
        // The program sees only its own texts, and the functions see only the others'.
        const text = refused ? "forbidden" : "fine";
        const args = isProgram ? { pattern: text } : { command: text };
        const started = performance.now();
        const { answer } = await session.emit("tool.before", {
          tool: isProgram ? "grep" : "bash",
          toolCallId: `${i}`,
          args,
        });
        ms.push(performance.now() - started);
        tally.trial(
          (answer.decision === "deny") === refused ? undefined : `event ${i} of session ${n} was decided otherwise`,
        );
      }
    };
    await Promise.all(
      Array.from({ length: sessions }, async (_, n) => {
        const session = await runtime.open({ scene: { ...SCENE, sessionId: `s${n}`, cwd: home.path } });
        await one(session, n);
        await session.close();
      }),
    );
    await runtime.close();
    const sorted = ms.sort((a, b) => a - b);
    const p99 = Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
    tally.figure(`${sessions} sessions, ${EVENTS} events each, every tenth by a program; p99 of an event ${p99} ms`);
  },
};
