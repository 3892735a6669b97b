import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Instance } from "../../src/hook/instance.ts";
import { settle } from "./cases.ts";
import { RUNS } from "./seed.ts";
import { dialectOf, openWith } from "./session.ts";

const turn = { turnIndex: 0, timestamp: 0 };

describe("from inside a handler", () => {
  test("an event that emits itself ends with a report, and all other hooks are still asked", async () => {
    let depth = 0;
    let others = 0;
    const codes: string[] = [];
    const { session } = await openWith({ onDiagnostic: ({ message }) => codes.push(message) });
    session.on("turn.start", () => {
      depth += 1;
      void session.emit("turn.start", turn);
    });
    session.on("turn.start", () => void (others += 1));
    await session.emit("turn.start", turn);
    expect(depth).toBe(8);
    expect(others).toBe(8);
    expect(codes).toHaveLength(1);
    expect(codes[0]).toMatch(/8 levels deep/);
  });

  test("an event that two handlers emit after a wait ends at the same depth", async () => {
    let asked = 0;
    const { session } = await openWith({});
    for (let i = 0; i < 2; i++) {
      session.on("turn.start", async () => {
        if (++asked > 2000) return;
        await undefined;
        await session.emit("turn.start", turn);
      });
    }
    await session.emit("turn.start", turn);
    // Observers: both are asked at each of eight levels.
    expect(asked).toBe(2 ** 9 - 2);
  });

  test("work that a handler started without waiting is not nested", async () => {
    let rounds = 0;
    const { session } = await openWith({});
    await new Promise<void>((resolve) => {
      session.on("turn.start", () => {
        if (++rounds === 30) resolve();
        else setImmediate(() => void session.emit("turn.start", turn));
      });
      void session.emit("turn.start", turn);
    });
    expect(rounds).toBe(30);
  });

  test("two events that emit each other end", async () => {
    const asked: string[] = [];
    const { session } = await openWith({});
    session.on("turn.start", async () => {
      asked.push("turn");
      await session.emit("agent.start", {});
    });
    session.on("agent.start", async () => {
      asked.push("agent");
      await session.emit("turn.start", turn);
    });
    await session.emit("turn.start", turn);
    expect(asked).toEqual(["turn", "agent", "turn", "agent", "turn", "agent", "turn", "agent"]);
  });

  test("a tool call inside the hooks of a tool call is judged like any other", async () => {
    const { session } = await openWith({});
    const judged: string[] = [];
    session.on("tool.before", async (event) => {
      judged.push(String(event.args["command"]));
      if (event.args["command"] === "outer") {
        const inner = await session.emit("tool.before", { toolCallId: "2", tool: "bash", args: { command: "inner" } });
        return { reason: inner.answer.decision ?? "", decision: "deny" };
      }
      return { decision: "ask" };
    });
    const { answer } = await session.emit("tool.before", { toolCallId: "1", tool: "bash", args: { command: "outer" } });
    expect(judged).toEqual(["outer", "inner"]);
    expect(answer).toEqual({ decision: "deny", reason: "ask" });
  });

  describe.each([
    [true, "in the same pass"],
    [false, "from the next dispatch on"],
  ])("where lanes are live: %s", (live, when) => {
    test.each(["turn.start", "tool.before"] as const)(
      `a handler that is added during %s is asked ${when}, once a pass`,
      async (of) => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.tuple(fc.nat({ max: 2 }), fc.boolean()), { maxLength: 5 }),
            async (additions) => {
              const asked: string[] = [];
              let instance: Instance | undefined;
              const first = [...additions];
              const add = (id: string): void => {
                const mine = first.shift();
                const more = mine === undefined ? 0 : mine[0];
                let done = false;
                instance?.on({
                  event: of,
                  run: () => {
                    asked.push(id);
                    if (!done) for (let i = 0; i < more; i++) add(`${id}.${i}`);
                    done = true;
                    return mine?.[1] ? Promise.resolve(undefined) : undefined;
                  },
                });
              };
              const { session } = await openWith({
                dialects: [
                  dialectOf(
                    "a",
                    of,
                    (own) => {
                      instance = own;
                      add("0");
                    },
                    live,
                  ),
                ],
              });
              const payload = of === "turn.start" ? turn : { toolCallId: "1", tool: "t", args: {} };
              let known = 1;
              for (let i = 0; i < 7; i++) {
                asked.length = 0;
                await session.emit(of, payload as never);
                expect(new Set(asked).size).toBe(asked.length);
                if (!live) expect(asked).toHaveLength(known);
                known = session.hooks().length;
                if (live) expect(asked).toHaveLength(known);
              }
            },
          ),
          { ...RUNS, numRuns: 500 },
        );
      },
    );
  });

  test("a handler that is added to a lane not yet reached waits for the next dispatch", async () => {
    const asked: string[] = [];
    const { session } = await openWith({
      dialects: [
        dialectOf("a", "turn.start", (instance) => {
          instance.on({
            event: "turn.start",
            run: () => {
              asked.push("a");
              if (asked.length === 1) session.on("turn.start", () => void asked.push("added"));
            },
          });
        }),
      ],
    });
    session.on("turn.start", () => void asked.push("library"));
    await session.emit("turn.start", turn);
    expect(asked).toEqual(["a", "library"]);
    await session.emit("turn.start", turn);
    expect(asked).toEqual(["a", "library", "a", "library", "added"]);
  });

  test("a handler that is removed during a dispatch is still asked by that one", async () => {
    const asked: string[] = [];
    const { session } = await openWith({});
    let undo = (): void => {};
    session.on("turn.start", () => {
      asked.push("first");
      undo();
    });
    undo = session.on("turn.start", () => void asked.push("second"));
    session.on("turn.start", () => void asked.push("third"));
    await session.emit("turn.start", turn);
    await session.emit("turn.start", turn);
    expect(asked).toEqual(["first", "second", "third", "first", "third"]);
  });
});

describe("a reload while events run", () => {
  test("leaves a running dispatch as it is, and changes the next one whole", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 6 }),
        fc.nat({ max: 30 }),
        async (ticks, moment) => {
          let generation = 0;
          const asked: string[][] = [];
          const { session } = await openWith({
            dialects: [
              dialectOf("a", "turn.start", (instance) => {
                const own = generation++;
                ticks.forEach((wait, i) => {
                  instance.on({
                    event: "turn.start",
                    run: (async (event: any) => {
                      (asked[event.turnIndex] ??= []).push(`${own}.${i}`);
                      for (let n = 0; n < wait; n++) await undefined;
                    }) as never,
                  });
                });
              }),
            ],
          });
          const dispatches: unknown[] = [];
          const emitting = (async () => {
            for (let turnIndex = 0; turnIndex < 8; turnIndex++) {
              dispatches.push(session.emit("turn.start", { turnIndex, timestamp: 0 }));
              await undefined;
            }
          })();
          for (let n = 0; n < moment; n++) await undefined;
          const reloading = session.load();
          await emitting;
          await Promise.all(dispatches);
          await reloading;
          expect(asked).toHaveLength(8);
          const seen = asked.map((ids) => {
            const [own] = (ids[0] as string).split(".");
            expect(ids).toEqual(ticks.map((_, i) => `${own}.${i}`));
            return Number(own);
          });
          expect(seen).toEqual([...seen].sort());
        },
      ),
      RUNS,
    );
  });

  test("disposes the old instances only when the dispatches that use them have ended", async () => {
    const ends: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    const { session } = await openWith({
      dialects: [
        dialectOf("a", "turn.start", (instance) => {
          signals.push(instance.signal);
          instance.on({ event: "turn.start", run: () => new Promise<void>((resolve) => ends.push(resolve)) });
        }),
      ],
    });
    const running = session.emit("turn.start", turn);
    const reloading = session.load();
    await settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    for (const end of ends) end();
    await running;
    await reloading;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});
