import { omp, pi } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { NO_HOME } from "../../scripts/no-home.ts";
import { dice } from "../stage/dice.ts";
import { SCENE } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";
import { type Handler, type Placed, staged } from "../stage/functions.ts";
import { newSeed } from "../stage/seed.ts";

const CALLS = 100;

/** R37: hooks answer with what they saw of their session; half of the sessions are aborted on the way. */
export const apart: Experiment = {
  id: "R37",
  async run(tally, { full }) {
    const seed = newSeed();
    const chance = dice(seed);
    const count = full ? 1000 : 100;
    const echo: Handler = async (event) => {
      for (let n = chance.below(4); n > 0; n--) await (chance.chance(0.1) ? pause() : Promise.resolve());
      event.input.command += ` ${event.input.session}`;
    };
    const hooks: Placed[] = ["omp", "pi"].map((lane) => ({ lane, event: "tool_call", run: echo }));
    const runtime = createHookRuntime({
      dialects: [omp, pi].map((dialect) => staged(dialect, () => hooks)),
      home: NO_HOME,
      env: {},
    });
    let aborted = 0;
    await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const id = `s${n}`;
        const session = await runtime.open({ scene: { ...SCENE, sessionId: id } });
        const controller = new AbortController();
        const abortAt = n % 2 === 0 ? chance.below(CALLS) : CALLS;
        for (let i = 0; i < CALLS; i++) {
          if (i === abortAt) {
            aborted += 1;
            controller.abort();
          }
          let ran: unknown;
          const call = {
            tool: "bash",
            toolCallId: `${i}`,
            args: { command: `${i}`, session: id },
            signal: controller.signal,
          };
          const { blocked } = await session.wrap(call, ({ command }) => {
            ran = command;
            return "done";
          });
          const wanted = i < abortAt ? `${i} ${id} ${id}` : undefined;
          tally.trial(ran === wanted && blocked === i >= abortAt ? undefined : `call ${i} of ${id} ran with ${ran}`);
        }
        await session.close();
      }),
    );
    await runtime.close();
    tally.figure(`${count} sessions, ${CALLS} calls each, ${aborted} aborted; seed ${seed}`);
  },
};

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
