import { omp, pi } from "@hookline/runtime/dialects";
import type { Dialect } from "@hookline/runtime/engine";
import { createHookRuntime } from "@hookline/runtime/session";
import { NO_HOME } from "../../scripts/no-home.ts";
import type { Experiment } from "../processes/experiment.ts";
import { dice } from "../stage/dice.ts";
import { SCENE } from "../stage/events.ts";
import { type Placed, staged } from "../stage/functions.ts";
import { newSeed } from "../stage/seed.ts";

const TURNS = 20;
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** R33: with reloads at any moment, each dispatch asks exactly one set of handlers, each once. */
export const reloads: Experiment = {
  id: "R33",
  paths: [],
  async run(tally, { full }) {
    const seed = newSeed();
    const chance = dice(seed);
    let changed = 0;
    for (let trial = 0; trial < (full ? 200 : 40); trial++) {
      const asked: string[][] = Array.from({ length: TURNS }, () => []);
      let generation = 0;
      const hooks = (lane: string) => (): Placed[] => {
        const own = generation++;
        return Array.from({ length: 4 }, (_, i) => ({
          lane,
          event: "turn_start",
          path: `/hook-${i}`,
          run: async (event) => {
            asked[event.turnIndex as number]?.push(`${lane} ${own} ${i}`);
            for (let n = chance.below(4); n > 0; n--) await Promise.resolve();
          },
        }));
      };
      const lanes: [Dialect, string][] = [
        [omp, "omp"],
        [pi, "pi"],
      ];
      const runtime = createHookRuntime({
        dialects: lanes.map(([dialect, lane]) => staged(dialect, hooks(lane))),
        home: NO_HOME,
        env: {},
      });
      const session = await runtime.open({ scene: SCENE });
      const dispatches: unknown[] = [];
      const emitting = (async () => {
        for (let turnIndex = 0; turnIndex < TURNS; turnIndex++) {
          dispatches.push(session.emit("turn.start", { turnIndex, timestamp: 0 }));
          await pause();
        }
      })();
      for (let n = chance.below(TURNS); n > 0; n--) await pause();
      await Promise.all([session.load(), emitting]);
      await Promise.all(dispatches);
      await runtime.close();
      const generations = new Set(asked.flatMap((ids) => ids.map((id) => id.split(" ")[1])));
      if (generations.size > 2) changed += 1;
      tally.trial(asked.map(problemOf).find((problem) => problem !== undefined));
    }
    tally.figure(`${changed} reloads while turns ran; seed ${seed}`);
  },
};

/** Checks that each lane's four handlers were asked once, all from the same load. */
function problemOf(ids: readonly string[], turn: number): string | undefined {
  for (const lane of ["omp", "pi"]) {
    const own = ids.filter((id) => id.startsWith(`${lane} `)).map((id) => id.split(" "));
    const whole = own.map(([, , i]) => i).join() === "0,1,2,3" && new Set(own.map(([, load]) => load)).size === 1;
    if (!whole) return `turn ${turn} asked ${ids.join(", ")}`;
  }
  return undefined;
}
