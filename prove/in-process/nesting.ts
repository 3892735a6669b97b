import { AsyncLocalStorage } from "node:async_hooks";
import { omp, pi } from "@hookline/runtime/dialects";
import { samplePayload } from "@hookline/runtime/testing";
import type { Experiment } from "../processes/experiment.ts";
import { inProcessEvents, type Sampled } from "../stage/events.ts";
import { type Opened, openStaged, type Placed } from "../stage/functions.ts";

const MAX_DEPTH = 8;
const depths = new AsyncLocalStorage<number>();

/**
 * R34: an event emitted inside its own handler stops at a depth limit, is reported, and keeps no hook from being asked.
 */
export const nesting: Experiment = {
  id: "R34",
  paths: [],
  async run(tally) {
    for (const event of inProcessEvents()) {
      for (const mode of ["at once", "awaited", "by two"] as const) tally.trial(await trial(event, mode));
    }
    tally.figure(`events that emit themselves, at once, awaited, and by two handlers; at most ${MAX_DEPTH} deep`);
  },
};

async function trial({ lane, row }: Sampled, mode: "at once" | "awaited" | "by two"): Promise<string | undefined> {
  const told: string[] = [];
  let running = 0;
  let deepest = 0;
  let stage: Opened | undefined;
  const nested = async (): Promise<void> => {
    const depth = (depths.getStore() ?? 0) + 1;
    running += 1;
    deepest = Math.max(deepest, depth);
    try {
      const emitted = depths.run(depth, () => stage?.session.emit(row.of as never, samplePayload(row.of as never)));
      if (mode !== "at once") await emitted;
    } finally {
      running -= 1;
    }
  };
  const hooks: Placed[] = [{ lane, event: row.name, run: nested, path: "/self" }];
  if (mode === "by two") hooks.push({ lane, event: row.name, run: nested, path: "/other" });
  stage = await openStaged([omp, pi], hooks, { onDiagnostic: ({ code }) => told.push(code) });
  await using _ = stage;
  const first = stage.session.emit(row.of as never, samplePayload(row.of as never));
  await first;
  for (let i = 0; running > 0 && i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
  const what = `${lane} ${row.name}, ${mode}`;
  if (running > 0) return `${what}: it does not end`;
  if (deepest > MAX_DEPTH) return `${what}: it went ${deepest} deep`;
  return deepest >= MAX_DEPTH && told.length === 0 ? `${what}: nobody was told` : undefined;
}
