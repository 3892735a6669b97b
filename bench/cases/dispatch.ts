import { createRuntime, type Dialect, type Session } from "@hookline/runtime";
import { pi } from "@hookline/runtime/dialects";
import { type BenchCase, timed, timedAsync } from "../case.ts";
import { importPeer } from "../peer.ts";

/** A session with nothing but pi's lane, into which hooks are put as an extension would. */
export async function piLane(
  register: (on: (event: string, handler: () => unknown) => void) => void,
): Promise<Session> {
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
    load: (_, instance) => register((event, run) => void instance.on({ event, run })),
  };
  return createRuntime({ dialects: [dialect], home: "/nowhere" }).open({ scene: { sessionId: "bench", cwd: "/" } });
}

/** A session with `count` handlers that answer with a promise, in pi's lane or in the library's. */
async function session(count: number, lane: "pi" | "library"): Promise<Session> {
  if (lane === "pi") {
    return piLane((on) => {
      for (let i = 0; i < count; i++) on("turn_start", async () => undefined);
    });
  }
  const opened = await createRuntime({ home: "/nowhere" }).open({ scene: { sessionId: "bench", cwd: "/" } });
  for (let i = 0; i < count; i++) opened.on("turn.start", async () => undefined);
  return opened;
}

const event = { turnIndex: 0, timestamp: 0 };

function handlers(count: number, lane: "pi" | "library", toFloor: number, n: number): BenchCase {
  return {
    name: `dispatch-${count}-${lane}`,
    unit: "event",
    budget: { toFloor },
    n,
    rounds: 15,
    ...(lane === "pi" && { peerName: "pi 0.87.1" }),
    async open() {
      const ours = await session(count, lane);
      const bare = Array.from({ length: count }, () => async (_: object) => undefined);
      const runner = lane === "pi" ? await piRunner(count) : undefined;
      return {
        ours: timedAsync(async (times) => {
          for (let i = 0; i < times; i++) await ours.emit("turn.start", event);
        }),
        floor: timedAsync(async (times) => {
          for (let i = 0; i < times; i++) await loop(bare);
        }),
        ...(runner !== undefined && {
          peer: timedAsync(async (times) => {
            for (let i = 0; i < times; i++) await runner.emit({ type: "turn_start", ...event });
          }),
        }),
      };
    },
  };
}

/** What an event must cost at least: every handler called and awaited, by somebody who is awaited. */
async function loop(handlers: readonly ((event: object) => Promise<unknown>)[]): Promise<void> {
  for (const handler of handlers) await handler(event);
}

interface PiRunner {
  emit(event: object): Promise<unknown>;
}

/** The parts of pi that are needed to build its runner by hand, each from its own file: none of the rest is loaded. */
interface PiParts {
  readonly ExtensionRunner: new (...parts: unknown[]) => PiRunner;
  createExtensionRuntime(): unknown;
  readonly SessionManager: { inMemory(): unknown };
}

async function piParts(): Promise<PiParts> {
  const files = ["extensions/runner", "extensions/loader", "session-manager"];
  const parts = files.map((file) =>
    importPeer<Partial<PiParts>>("@earendil-works/pi-coding-agent", "0.87.1", `dist/core/${file}.js`),
  );
  return Object.assign({}, ...(await Promise.all(parts))) as PiParts;
}

/** pi's own runner with so many hooks of one event. */
export async function piRunner(count: number, name = "turn_start"): Promise<PiRunner> {
  const { ExtensionRunner, createExtensionRuntime, SessionManager } = await piParts();
  const listeners = Array.from({ length: count }, () => async () => undefined);
  const kinds = ["tools", "messageRenderers", "entryRenderers", "commands", "flags", "shortcuts"];
  const extension = {
    path: "/bench",
    resolvedPath: "/bench",
    handlers: new Map(count === 0 ? [] : [[name, listeners]]),
    ...Object.fromEntries(kinds.map((kind) => [kind, new Map()])),
  };
  return new ExtensionRunner([extension], createExtensionRuntime(), "/", SessionManager.inMemory(), {});
}

export const cases: readonly BenchCase[] = [
  {
    name: "dispatch-0",
    unit: "event",
    peerName: "pi 0.87.1",
    budget: { toPeer: 1 / 200 },
    n: 1_000_000,
    rounds: 9,
    async open() {
      const ours = await session(0, "library");
      const runner = await piRunner(0);
      const plans = new Map<string, unknown>();
      let seen = 0;
      return {
        ours: timed((times) => {
          for (let i = 0; i < times; i++) if (ours.emit("turn.start", event) === undefined) seen += 1;
        }),
        floor: timed((times) => {
          for (let i = 0; i < times; i++) if (plans.get("turn.start") !== undefined) seen += 1;
        }),
        peer: async (times) => {
          const some = Math.min(times, 50_000);
          const started = process.hrtime.bigint();
          for (let i = 0; i < some; i++) await runner.emit({ type: "turn_start", ...event });
          return (Number(process.hrtime.bigint() - started) / some) * times;
        },
        close: async () => void seen,
      };
    },
  },
  handlers(1, "library", 1.5, 100_000),
  handlers(1, "pi", 2.2, 100_000),
  handlers(10, "pi", 1.5, 20_000),
  handlers(100, "pi", 1.4, 2_000),
];
