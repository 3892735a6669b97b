import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { jcli } from "@hookline/runtime/dialects";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { ALL, type Experiment } from "./experiment.ts";
import { folder, ground } from "./ground.ts";

/** About how long each of the three parts of a guarded call takes, in ms. */
const PART_MS = 90;
const HOOKS = ["pre_tool_execution", "post_tool_execution"]
  .map((event) => `${event}:\n  - command: "sleep ${PART_MS / 1000}; echo '{}'"\n`)
  .join("");

interface Wrapped {
  readonly ranAt: number | undefined;
  readonly text: string;
}

/** Makes one guarded call: the session's hooks run before and after a tool that returns `ran`. */
async function guardedCall(session: HookSession, signal: AbortSignal): Promise<Wrapped> {
  let ranAt: number | undefined;
  const call = { tool: "bash", toolCallId: "c", args: { command: "ls" }, signal };
  const { content } = await session.wrap(call, async () => {
    ranAt = performance.now();
    await pause(PART_MS, undefined, { signal });
    return "ran";
  });
  return { ranAt, text: content.map((block) => ("text" in block ? block.text : "")).join("") };
}

/** R6: an abort ends hooks immediately, no tool runs after it, and the next call works. */
export const abort: Experiment = {
  id: "R6",
  paths: ALL,
  async run(tally, { path, full }) {
    using home = folder();
    mkdirSync(join(home.path, ".jdata/agent"), { recursive: true });
    writeFileSync(join(home.path, ".jdata/agent/hooks.yaml"), HOOKS);
    await using here = ground(path);
    const runtime = createHookRuntime({
      dialects: [jcli],
      home: home.path,
      env: { PATH: process.env["PATH"] },
      transports: { process: here.transport },
    });
    const session = await runtime.open({ scene: { sessionId: "s", cwd: home.path } });
    const late: number[] = [];
    const moments = [0, 0, 0];
    for (let trial = 0; trial < (full ? 150 : 10); trial++) {
      const controller = new AbortController();
      const running = guardedCall(session, controller.signal);
      await pause(Math.random() * PART_MS * 3.3);
      const abortedAt = performance.now();
      controller.abort();
      const { ranAt } = await running;
      late.push(performance.now() - abortedAt);
      const moment = ranAt === undefined ? 0 : abortedAt - ranAt < PART_MS ? 1 : 2;
      moments[moment] = (moments[moment] ?? 0) + 1;
      tally.trial(ranAt !== undefined && ranAt > abortedAt ? "a tool was started after the abort" : undefined);
    }
    const next = await guardedCall(session, new AbortController().signal);
    tally.trial(next.text === "ran" ? undefined : `the next call gave ${JSON.stringify(next.text)}`);
    tally.figure(`aborted before ${moments[0]}, in ${moments[1]}, after the tool ${moments[2]}`);
    tally.times("return after the abort", late, 1000);
    await runtime.close();
  },
};
