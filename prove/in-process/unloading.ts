import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import type { Experiment } from "../processes/experiment.ts";
import { SCENE } from "../stage/events.ts";
import { placeModules } from "../stage/modules.ts";

const HELPER = 'export const big = Array.from({ length: 1000 }, (_, i) => "row " + i);\n';
/** A module that registers one of everything, and retains a few kilobytes. */
const MODULE = `import { big } from "../../../lib/helper.ts";
export default (pi: any) => {
  const own = [...big];
  pi.on("turn_start", () => { (globalThis as any).proveFired = ((globalThis as any).proveFired ?? 0) + 1; void own; });
  pi.on("tool_call", async () => undefined);
  pi.registerCommand("prove", { description: "d", handler: async () => {} });
  pi.events.on("prove", () => own.length);
};
`;
const MAX_SLOPE = 20 * 1024;

/** R32: after reloads there is no more of anything than before, and each event fires exactly once. */
export const unloading: Experiment = {
  id: "R32",
  paths: [],
  async run(tally, { full }) {
    using modules = placeModules({ own: MODULE, "lib/helper.ts": HELPER });
    const runtime = createHookRuntime({ dialects: [pi], home: modules.home, env: {} });
    const session = await runtime.open({ scene: SCENE });
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const measure = async (): Promise<{ heap: number; handles: number }> => {
      for (let i = 0; i < 3; i++) await turn();
      collect();
      return { heap: process.memoryUsage().heapUsed, handles: process.getActiveResourcesInfo().length };
    };
    const reload = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        await session.load();
        const shared = globalThis as { proveFired?: number };
        shared.proveFired = 0;
        await session.emit("turn.start", { turnIndex: i, timestamp: 0 });
        tally.trial(shared.proveFired === 1 ? undefined : `a handler was asked ${shared.proveFired} times`);
      }
    };
    const reloads = full ? 500 : 60;
    await reload(reloads / 5);
    const before = await measure();
    await reload(reloads);
    const after = await measure();
    const slope = Math.round((after.heap - before.heap) / reloads);
    const handles = after.handles - before.handles;
    tally.trial(slope < MAX_SLOPE ? undefined : `${slope} bytes of heap stay for each reload`);
    tally.trial(Math.abs(handles) <= 2 ? undefined : `${handles} more handles are open`);
    tally.figure(`${reloads} reloads: ${slope} bytes of heap each, ${handles >= 0 ? "+" : ""}${handles} handles`);
    await runtime.close();
  },
};
