import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chibi, jcli, omp, pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import type { Claim } from "./claim.ts";
import { SCENE } from "./stage/events.ts";
import { findingOf, share, type Tally } from "./stage/experiment.ts";
import { folder } from "./stage/ground.ts";

const HANDLERS = [0, 10, 1000];

/** R60: hooks whose filter does not match start no process and take almost no time. */
async function filtered(tally: Tally, { full }: { readonly full: boolean }): Promise<void> {
  for (const handlers of HANDLERS) {
    using home = folder();
    mkdirSync(join(home.path, ".jdata/agent"), { recursive: true });
    const entry = "  - command: exit 1\n    filter:\n      tool_name: Write\n";
    writeFileSync(
      join(home.path, ".jdata/agent/hooks.yaml"),
      `pre_tool_execution:\n${entry.repeat(handlers) || "  []\n"}`,
    );
    let spawned = 0;
    const transport = {
      run: async () => {
        spawned += 1;
        throw new Error("a process was asked for");
      },
      open: () => Promise.reject(new Error("no process is kept here")),
      close: async () => {},
    };
    const dialects = [jcli, chibi, omp, pi];
    const runtime = createHookRuntime({ dialects, home: home.path, env: {}, transports: { process: transport } });
    const session = await runtime.open({ scene: { ...SCENE, cwd: home.path } });
    if (session.hooks().length !== handlers) throw new Error(`${session.hooks().length} of ${handlers} were loaded`);
    const us: number[] = [];
    const payload = { tool: "bash", toolCallId: "1", args: { command: "ls" } };
    for (let i = 0; i < (full ? 10_000 : 1000); i++) {
      const started = performance.now();
      const { answer } = await session.emit("tool.before", payload);
      us.push((performance.now() - started) * 1000);
      tally.trial(spawned === 0 && answer.decision === undefined ? undefined : "a hook for another tool was started");
    }
    await runtime.close();
    const [p50, p99] = [share(us, 0.5), share(us, 0.99)];
    tally.figure(`${handlers} handlers: p50 ${p50.toFixed(1)} µs, p99 ${p99.toFixed(1)} µs, ${spawned} processes`);
    if (p50 > 1000) tally.trial(`${handlers} handlers took ${Math.round(p50)} µs for an event`);
  }
}

export const claim: Claim = {
  name: "dispatch",
  says: "hooks that do not match start no process, and a thousand of them take less than a millisecond (R60)",
  run: (size) => findingOf([{ id: "R60", run: filtered }], size),
};
