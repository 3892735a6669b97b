import { pi } from "@hookline/runtime/dialects";
import type { Dialect } from "@hookline/runtime/engine";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { createPiApi } from "../../packages/integrations/src/pi/hooks/api.ts";
import { NO_HOME } from "../../scripts/no-home.ts";
import { type BenchCase, fewer, type Measured, type Peer, timed, timedAsync } from "../case.ts";
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

/** Opens a session with `count` handlers that answer with a promise, in pi's lane or in the library's. */
async function session(count: number, lane: "pi" | "library"): Promise<HookSession> {
  if (lane === "pi") {
    return piLane((on) => {
      for (let i = 0; i < count; i++) on("turn_start", async () => undefined);
    });
  }
  const opened = await createHookRuntime({ home: NO_HOME }).open({ scene: { sessionId: "bench", cwd: "/" } });
  for (let i = 0; i < count; i++) opened.on("turn.start", async () => undefined);
  return opened;
}

const event = { turnIndex: 0, timestamp: 0 };

/** Times a dispatcher on an event whose handlers are all awaited. */
function awaited(emitter: Emitter): Measured {
  return timedAsync((times) => emitter.run(times, event));
}

/**
 * Makes a peer with its budget: we must be faster than hookable with any number of observers, and at most as slow as pi
 * with 1 and 10 (ruling 73).
 */
function asPeer(emitter: Emitter, count: number): Peer {
  const binds = emitter.name.startsWith("hookable") || (emitter.name.startsWith("pi ") && count <= 10);
  return { name: emitter.name, measured: awaited(emitter), ...(binds && { budget: 1 }) };
}

function handlers(count: number, lane: "pi" | "library", n: number): BenchCase {
  return {
    name: `dispatch-${count}-${lane}`,
    unit: "event",
    budget: {},
    n,
    rounds: 15,
    async open() {
      const ours = await session(count, lane);
      const bare = Array.from({ length: count }, () => async (_: object) => undefined);
      const others = [hookableEmitter(count), tapableEmitter(count)];
      if (lane === "pi") others.unshift(piEmitter(count));
      return {
        ours: timedAsync(async (times) => {
          for (let i = 0; i < times; i++) await ours.emit("turn.start", event);
        }),
        floor: timedAsync(async (times) => {
          for (let i = 0; i < times; i++) await loop(bare);
        }),
        peers: (await Promise.all(others)).map((emitter) => asPeer(emitter, count)),
      };
    },
  };
}

/** Does the minimum for an event: calls and awaits every handler, and is itself awaited. */
async function loop(handlers: readonly ((event: object) => Promise<unknown>)[]): Promise<void> {
  for (const handler of handlers) await handler(event);
}

export const cases: readonly BenchCase[] = [
  {
    name: "dispatch-0",
    unit: "event",
    budget: { maxCount: 10 },
    n: 1_000_000,
    rounds: 9,
    async open() {
      const ours = await session(0, "library");
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
  handlers(1, "library", 100_000),
  handlers(1, "pi", 100_000),
  handlers(10, "pi", 20_000),
  handlers(100, "pi", 2_000),
];
