import { describe, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { catalog } from "../../src/catalog/catalog.ts";
import { Instance } from "../../src/hook/instance.ts";
import type { Lane } from "../../src/hook/lane.ts";
import { Registry } from "../../src/hook/registry.ts";
import { Deadlines } from "../../src/run/deadline.ts";
import { dispatch } from "../../src/run/dispatch.ts";
import { libraryLane } from "../../src/run/library.ts";
import { NOBODY } from "../../src/run/outcome.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import type { HookSession } from "../../src/session/session.ts";
import { ManualClock } from "../laws/clock.ts";
import { scene } from "../laws/reference.ts";

const THEN = "then";
const TURN = { turnIndex: 0, timestamp: 0 };

async function open(): Promise<HookSession> {
  return createHookRuntime({ home: NO_HOME }).open({ scene: { sessionId: "s", cwd: "/" } });
}

/** The library's lane on a clock that stands still. */
function stage({ live = false } = {}) {
  const clock = new ManualClock();
  const lane: Lane = { ...libraryLane(catalog), live };
  const registry = new Registry([lane], catalog, () => {});
  const told: string[] = [];
  const context = {
    scene,
    clock,
    deadlines: new Deadlines(clock),
    signal: undefined,
    trace: false,
    report: ({ code }: { code: string }) => void told.push(code),
  };
  return {
    clock,
    told,
    instance: new Instance("library", { path: "p", tier: "user" }, registry),
    emit: (event: string, payload: object) => dispatch(registry.plan(event) as never, payload, context),
  };
}

describe("an outcome that arrives with the last wait", () => {
  test("is that of a handler that says nothing, answers or fails", async () => {
    const session = await open();
    const undo = session.on("turn.start", async () => undefined);
    expect((await session.emit("turn.start", TURN)).answer).toBe(NOBODY.answer);
    undo();
    session.on("model.context", async () => ({ messages: [] }));
    const context = { messages: [{ role: "user", content: "a", timestamp: 0 }], systemPrompt: "" };
    expect((await session.emit("model.context", context as never)).answer).toEqual({ messages: [] });
    session.on("turn.end", () => Promise.reject(new Error("broken")));
    const { diagnostics } = await session.emit("turn.end", { ...TURN, message: {}, toolResults: [] } as never);
    expect(diagnostics[0]?.message).toContain("broken");
  });

  test("waits for a retry", async () => {
    const { instance, emit } = stage();
    let tries = 0;
    instance.on({
      event: "turn.start",
      retry: 3,
      run: async () => (++tries < 3 ? Promise.reject(new Error("x")) : undefined),
    });
    await emit("turn.start", TURN);
    expect(tries).toBe(3);
  });

  test("waits for handlers that were added to a live lane meanwhile", async () => {
    const { instance, emit } = stage({ live: true });
    const order: string[] = [];
    instance.on({
      event: "turn.start",
      run: async () => {
        instance.on({
          event: "turn.start",
          run: async () => {
            await new Promise(setImmediate);
            order.push("added");
          },
        });
      },
    });
    await emit("turn.start", TURN);
    expect(order).toEqual(["added"]);
  });

  test("is the engine's own promise, whatever a handler returns", async () => {
    class Later<T> extends Promise<T> {}
    const thenable = Object.defineProperty({}, THEN, { value: (done: (value: unknown) => void) => done(undefined) });
    const own = Object.assign(Promise.resolve(undefined), { constructor: Later });
    for (const returned of [Later.resolve(undefined), thenable, own]) {
      const session = await open();
      session.on("turn.start", () => returned as never);
      const emitted = session.emit("turn.start", TURN);
      expect(Object.getPrototypeOf(emitted)).toBe(Promise.prototype);
      expect((await emitted).answer).toBe(NOBODY.answer);
    }
  });

  test("is reported as slow while it is pending", async () => {
    const { instance, emit, clock, told } = stage();
    let finish: (() => void) | undefined;
    instance.on({ event: "turn.start", run: () => new Promise<void>((resolve) => (finish = resolve)) });
    const emitted = emit("turn.start", TURN);
    clock.advance(6000);
    expect(told).toEqual(["HOOK_SLOW"]);
    finish?.();
    expect(await emitted).toMatchObject({ answer: {}, diagnostics: [] });
  });

  test("ends the session's count of running dispatches", async () => {
    const session = await open();
    session.on("turn.start", async () => undefined);
    await session.emit("turn.start", TURN);
    await session.close();
    expect(session.has("turn.start")).toBe(false);
  });
});

test("a session that is closed from inside a handler closes when the dispatch has ended", async () => {
  const session = await open();
  const order: string[] = [];
  session.on("turn.start", () => {
    void session.close().then(() => order.push("closed"));
    order.push("first");
    return undefined;
  });
  session.on("turn.start", () => {
    order.push("second");
    return undefined;
  });
  void session.emit("turn.start", TURN);
  await new Promise(setImmediate);
  expect(order).toEqual(["first", "second", "closed"]);
});

describe("observers of an event", () => {
  test("do not get objects that an abandoned one keeps changing", async () => {
    const { instance, emit, clock } = stage();
    const seen: unknown[] = [];
    let held: any;
    instance.on({
      event: "turn.end",
      timeoutMs: 100,
      run: ((event: any) => {
        held = event;
        return new Promise(() => {});
      }) as never,
    });
    instance.on({
      event: "turn.end",
      run: (async (event: any) => {
        held.turnIndex = 7;
        held.message.role = "late";
        seen.push(event.turnIndex, event.message.role);
      }) as never,
    });
    const emitted = emit("turn.end", { turnIndex: 1, message: { role: "assistant" }, toolResults: [] });
    clock.advance(200);
    await emitted;
    expect(seen).toEqual([1, "assistant"]);
  });

  test("do not get changes that one makes to its event when it is told that its time is over", async () => {
    const { instance, emit, clock } = stage();
    const seen: unknown[] = [];
    instance.on({
      event: "turn.end",
      timeoutMs: 100,
      run: ((event: any, { signal }: any) => {
        signal.addEventListener("abort", () => {
          event.message.role = "late";
        });
        return new Promise(() => {});
      }) as never,
    });
    instance.on({ event: "turn.end", run: ((event: any) => void seen.push(event.message.role)) as never });
    const emitted = emit("turn.end", { turnIndex: 1, message: { role: "assistant" }, toolResults: [] });
    clock.advance(200);
    await emitted;
    expect(seen).toEqual(["assistant"]);
  });
});
