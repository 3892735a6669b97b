import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aCase, anyHooks, run, settle } from "./cases.ts";
import { RUNS } from "./seed.ts";
import { dialectOf, openWith } from "./session.ts";

const call = (command: string) => ({ toolCallId: "1", tool: "bash", args: { command } });

describe("late and aborted handlers", () => {
  test("an abort at any moment refuses a call, or comes too late to change anything", async () => {
    await fc.assert(
      fc.asyncProperty(
        aCase.filter((one) => one.kind === "guard" && anyHooks(one)),
        fc.nat({ max: 40 }),
        async (one, ticks) => {
          const whole = JSON.stringify((await run(one)).outcome.answer);
          const controller = new AbortController();
          const abort = async (): Promise<void> => {
            for (let i = 0; i < ticks; i++) await undefined;
            controller.abort();
          };
          const running = run(one, { signal: controller.signal });
          void abort();
          const { answer } = (await running).outcome as any;
          if (JSON.stringify(answer) !== whole) expect(answer.decision).toBe("deny");
        },
      ),
      RUNS,
    );
  });

  test("an abort drops the interrupted lane's answers so far, and asks no further hook", async () => {
    const controller = new AbortController();
    let finish: ((answer: unknown) => void) | undefined;
    const { session } = await openWith({
      dialects: [
        dialectOf("a", "input", (instance) => {
          instance.on({ event: "input", run: () => ({ text: "by a" }) });
        }),
        dialectOf("b", "input", (instance) => {
          instance.on({ event: "input", run: () => ({ text: "by b" }) });
          instance.on({ event: "input", run: () => new Promise((resolve) => (finish = resolve)) });
          instance.on({ event: "input", run: () => ({ text: "never" }) });
        }),
      ],
    });
    const emitted = session.emit("input", { text: "typed", source: "interactive" }, { signal: controller.signal });
    controller.abort();
    const outcome = await emitted;
    const before = JSON.stringify(outcome);
    expect(outcome.answer).toEqual({ text: "by a" });
    finish?.({ text: "late" });
    await settle();
    expect(JSON.stringify(outcome)).toBe(before);
  });

  test("an abort by a handler that then keeps waiting ends the wait", async () => {
    const controller = new AbortController();
    const { session } = await openWith({});
    session.on("turn.start", async () => {
      await undefined;
      return undefined;
    });
    session.on("tool.before", async () => undefined);
    session.on("tool.before", () => {
      controller.abort();
      return new Promise(() => {});
    });
    const { answer } = await session.emit("tool.before", call("ls"), { signal: controller.signal });
    expect(answer.decision).toBe("deny");
  });

  test("a handler that obeys the abort is not reported", async () => {
    const told: string[] = [];
    const controller = new AbortController();
    const { session } = await openWith({ onDiagnostic: ({ code }) => told.push(code) });
    session.on(
      "turn.start",
      (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    const emitted = session.emit("turn.start", { turnIndex: 0, timestamp: 0 }, { signal: controller.signal });
    controller.abort();
    await emitted;
    await settle();
    expect(told).toEqual([]);
  });

  test("a late handler's answer or error is reported once, and changes nothing", async () => {
    const told: string[] = [];
    const { session, clock } = await openWith({ onDiagnostic: ({ code }) => told.push(code) });
    const finish: (() => void)[] = [];
    session.on("turn.start", () => new Promise((resolve) => finish.push(() => resolve(undefined))), { timeoutMs: 5 });
    session.on("agent.start", () => new Promise((_, reject) => finish.push(() => reject(new Error("x")))), {
      timeoutMs: 5,
    });
    const emitted = [session.emit("turn.start", { turnIndex: 0, timestamp: 0 }), session.emit("agent.start", {})];
    clock.advance(5);
    const outcomes = JSON.stringify(await Promise.all(emitted));
    for (const end of finish) end();
    await settle();
    expect(JSON.stringify(await Promise.all(emitted))).toBe(outcomes);
    expect(told).toEqual(["HOOK_TIMED_OUT", "HOOK_TIMED_OUT", "HOOK_LATE", "HOOK_LATE_ERROR"]);
  });

  test("an edit in place after the deadline reaches neither the next handler nor the outcome", async () => {
    const saw: unknown[] = [];
    const { session, clock } = await openWith({
      dialects: [
        {
          ...dialectOf("a", "model.context", (instance) => {
            instance.on({
              event: "model.context",
              timeoutMs: 5,
              run: ((event: any, { signal }: any) => {
                event.messages[0].content = "in time";
                signal.addEventListener("abort", () => {
                  event.messages[0].content = "late";
                  event.messages.push({ role: "user", content: "late" });
                });
                return new Promise(() => {});
              }) as never,
            });
            instance.on({
              event: "model.context",
              run: ((event: any) => void saw.push(structuredClone(event.messages))) as never,
            });
          }),
        },
      ].map((dialect) => ({
        ...dialect,
        lanes: dialect.lanes.map((lane) => ({
          ...lane,
          rows: lane.rows.map((row) => ({ ...row, feeds: { messages: "draft" as const } })),
        })),
      })),
    });
    const messages = [{ role: "user", content: "first" }] as never;
    const emitted = session.emit("model.context", { messages, systemPrompt: "" });
    clock.advance(5);
    const { answer } = await emitted;
    expect(saw).toEqual([[{ role: "user", content: "in time" }]]);
    expect(answer.messages).toEqual([{ role: "user", content: "in time" }]);
    expect(messages).toEqual([{ role: "user", content: "first" }]);
  });

  test("later changes that a handler makes to its answer do not reach the outcome", async () => {
    const answer = { args: { command: "ls -l" } };
    const seen: unknown[] = [];
    const { session } = await openWith({});
    session.on("tool.before", () => answer);
    session.on("tool.before", async (event) => {
      answer.args.command = "rm -rf /";
      await undefined;
      seen.push(structuredClone(event.args));
      return undefined;
    });
    const outcome = await session.emit("tool.before", call("ls"));
    expect(seen).toEqual([{ command: "ls -l" }]);
    expect(outcome.answer.args).toEqual({ command: "ls -l" });
  });
});
