import { pi } from "@hookline/runtime/dialects";
import type { Dialect } from "@hookline/runtime/engine";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { createPiApi } from "../../packages/integrations/src/pi/hooks/api.ts";
import { NO_HOME } from "../../scripts/no-home.ts";
import { type BenchCase, fewer, type Measured, timed, timedAsync } from "../case.ts";
import { type Emitter, hookableEmitter, piEmitter, tapableEmitter } from "../programs/emitters.ts";

/** Opens a session with only pi's lane; hooks are added through an extension's own `pi.on`. */
export async function piLane(
  register: (on: (event: string, handler: () => unknown) => void) => void,
): Promise<HookSession> {
  const dialect: Dialect = {
    ...pi,
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: [
        {
          lane: "pi",
          source: { path: "/bench", tier: "user", dialect: "pi" },
          state: "runs",
          files: [],
          definition: undefined,
        },
      ],
    }),
    load(_, instance, around) {
      const api = createPiApi({ around, instance, name: "pi", bound: true });
      register((event, run) => void api.on(event, run));
    },
  };
  return createHookRuntime({ dialects: [dialect], home: NO_HOME }).open({ scene: { sessionId: "bench", cwd: "/" } });
}

const event = { turnIndex: 0, timestamp: 0 };

/** Times a dispatcher on an event whose handlers are all awaited. */
function awaited(emitter: Emitter): Measured {
  return timedAsync((times) => emitter.run(times, event));
}

export const cases: readonly BenchCase[] = [
  {
    name: "dispatch-0",
    unit: "event",
    budget: { maxCount: 10 },
    n: 1_000_000,
    rounds: 9,
    async open() {
      const ours = await createHookRuntime({ home: NO_HOME }).open({ scene: { sessionId: "bench", cwd: "/" } });
      const [pi, hookable, tapable] = await Promise.all([piEmitter(0), hookableEmitter(0), tapableEmitter(0)]);
      const plans = new Map<string, unknown>();
      let seen = 0;
      return {
        ours: timed((times) => {
          for (let i = 0; i < times; i++) if (ours.emit("turn.start", event) === undefined) seen += 1;
        }),
        floor: timed((times) => {
          for (let i = 0; i < times; i++) if (plans.get("turn.start") !== undefined) seen += 1;
        }),
        peers: [
          { name: pi.name, measured: fewer(50_000, awaited(pi)), budget: 1 / 200 },
          // hookable returns no promise if nothing is registered, so it need not be awaited.
          {
            name: hookable.name,
            measured: timed((times) => {
              for (let i = 0; i < times; i++) if (hookable.emit(event) === undefined) seen += 1;
            }),
          },
          { name: tapable.name, measured: fewer(50_000, awaited(tapable)) },
        ],
        close: async () => void seen,
      };
    },
  },
];
