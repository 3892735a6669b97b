import { expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { ManualClock } from "./clock.ts";
import { seed } from "./seed.ts";
import { dialectOf, openWith } from "./session.ts";

/** A small generator, so that the test can be repeated. */
function dice(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("a thousand sessions at once do not mix, and aborting half of them touches no other", async () => {
  const roll = dice(seed);
  const clock = new ManualClock();
  const dialect = dialectOf("a", "tool.before", (instance) => {
    const owner = instance;
    for (let i = 0; i < 3; i++) {
      instance.on({
        event: "tool.before",
        run: (async (event: any) => {
          for (let n = 0; n < i + 1; n++) await undefined;
          if (event.args.hold) await new Promise((resolve) => setImmediate(resolve));
          return { args: { ...event.args, [`by${i}`]: event.args.session }, additionalContext: event.args.session };
        }) as never,
      });
    }
    expect(owner.hooks).toHaveLength(3);
  });
  const runtime = createHookRuntime({ dialects: [dialect], home: NO_HOME, clock });
  const outcomes: { session: string; aborted: boolean; answer: any }[] = [];
  await Promise.all(
    Array.from({ length: 1000 }, async (_, n) => {
      const id = `s${n}`;
      const session = await runtime.open({ scene: { sessionId: id, cwd: "/" } });
      const aborted = n % 2 === 0;
      const controller = new AbortController();
      const calls = Array.from({ length: 10 }, (_, i) =>
        session.emit(
          "tool.before",
          { toolCallId: `${i}`, tool: "t", args: { session: id, hold: aborted || roll() < 0.5 } },
          { signal: controller.signal },
        ),
      );
      if (aborted) controller.abort();
      for (const call of calls) outcomes.push({ session: id, aborted, answer: (await call).answer });
    }),
  );
  expect(outcomes).toHaveLength(10_000);
  for (const { session, aborted, answer } of outcomes) {
    if (aborted) expect(answer.decision).toBe("deny");
    else {
      expect(answer.decision).toBeUndefined();
      expect([answer.args.by0, answer.args.by1, answer.args.by2]).toEqual([session, session, session]);
      expect(answer.additionalContext).toEqual([session]);
    }
  }
  await runtime.close();
  expect(clock.timers).toBe(0);
});

const thrower = (): never => {
  throw new Error("listener");
};

/** Everything that a listener for problems or traces may do. */
const LISTENERS: Readonly<Record<string, (given: object) => unknown>> = {
  throws: thrower,
  "throws nothing": () => {
    throw undefined;
  },
  "throws a hostile object": () => {
    throw new Proxy({}, { get: thrower, getPrototypeOf: thrower });
  },
  "never answers": () => new Promise(() => {}),
  "answers a refusal": () => ({ block: true, decision: "deny" }),
  "empties what it is told": (given) => {
    for (const key of Object.keys(given)) Reflect.deleteProperty(given, key);
  },
  "freezes what it is told": Object.freeze,
};

test.each(Object.keys(LISTENERS))("a listener that %s changes no decision", async (name) => {
  const load = (listener: (given: object) => unknown) =>
    openWith({
      onDiagnostic: (diagnostic) => void listener(structuredClone(diagnostic)),
      trace: { payloads: true, write: (line) => void listener(structuredClone(line)) },
      dialects: [
        dialectOf("a", "tool.before", (instance) => {
          instance.on({ event: "tool.before", run: () => ({ odd: 1, args: { command: "edited" } }) });
          instance.on({ event: "tool.before", run: () => ({ additionalContext: "x" }) });
          instance.on({ event: "tool.before", run: (() => Promise.reject(new Error("boom"))) as never });
        }),
        dialectOf("b", "turn.start", (instance) => {
          instance.on({
            event: "turn.start",
            run: () => {
              throw new Error("boom");
            },
          });
          instance.on({ event: "turn.start", run: async () => "nonsense" });
        }),
      ],
    });
  const [quiet, broken] = [await load(() => {}), await load(LISTENERS[name] as () => unknown)];
  for (const [event, payload] of [
    ["tool.before", { toolCallId: "1", tool: "t", args: { command: "x" } }],
    ["turn.start", { turnIndex: 0, timestamp: 0 }],
  ] as const) {
    const outcomes = [];
    for (const { session } of [quiet, broken]) outcomes.push(await session.emit(event, payload as never));
    expect(JSON.stringify(outcomes[1])).toBe(JSON.stringify(outcomes[0]));
  }
});
