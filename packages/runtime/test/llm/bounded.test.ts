import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../ground/src/time/clock.ts";
import type { LlmCall, LlmReport, LlmTransport } from "../../src/port/llm.ts";
import { boundLlm } from "../../src/transport/llm/bounded.ts";

/** A clock whose timers fire when they are told to. */
class HandClock implements Clock {
  readonly timers = new Map<() => void, { ms: number; held: boolean }>();
  now = () => 0;
  wall = () => 0;
  timer(ms: number, fire: () => void) {
    const timer = { ms, held: false };
    this.timers.set(fire, timer);
    return {
      cancel: () => void this.timers.delete(fire),
      hold: (on: boolean) => {
        timer.held = on;
      },
    };
  }
  fire() {
    for (const fire of [...this.timers.keys()]) fire();
  }
}

const call = (more: Partial<LlmCall> = {}): LlmCall => ({
  system: "s",
  prompt: "p",
  temperature: 0,
  maxTokens: 100,
  timeoutMs: 1000,
  ...more,
});
const reply: LlmReport = { ok: true, text: "{}", usage: { input: 3, output: 1 } };

/** A provider that answers with this, or hangs. */
function provider(answer?: () => unknown): LlmTransport & { readonly calls: LlmCall[] } {
  const calls: LlmCall[] = [];
  return {
    calls,
    complete(asked) {
      calls.push(asked);
      return (answer === undefined ? new Promise(() => {}) : answer()) as Promise<LlmReport>;
    },
  };
}

function bound(answer?: () => unknown) {
  const clock = new HandClock();
  const asked = provider(answer);
  return { clock, asked, llm: boundLlm(asked, clock) };
}

describe("asking a model", () => {
  it("hands the call on as it is, and the reply with its tokens back", async () => {
    const { llm, asked, clock } = bound(async () => reply);
    expect(await llm.complete(call({ model: "m" }))).toBe(reply);
    expect(asked.calls).toMatchObject([{ ...call(), model: "m" }]);
    expect(clock.timers.size).toBe(0);
  });

  it("ends at the deadline, whatever the provider does, and keeps the host awake until then", async () => {
    const { llm, asked, clock } = bound();
    const report = llm.complete(call());
    expect([...clock.timers.values()]).toEqual([{ ms: 1000, held: true }]);
    clock.fire();
    expect(await report).toEqual({ ok: false, cause: "timed-out", message: "no reply within 1000 ms" });
    expect(asked.calls[0]?.signal?.aborted).toBe(true);
  });

  it("ends with an abort, whatever the provider does, and leaves no listener", async () => {
    const { llm, asked, clock } = bound();
    const abort = new AbortController();
    const report = llm.complete(call({ signal: abort.signal }));
    abort.abort();
    expect(await report).toMatchObject({ ok: false, cause: "aborted" });
    expect(asked.calls[0]?.signal?.aborted).toBe(true);
    expect(clock.timers.size).toBe(0);
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });

  it("asks nobody for a signal that has fired before", async () => {
    const { llm, asked } = bound(async () => reply);
    expect(await llm.complete(call({ signal: AbortSignal.abort() }))).toMatchObject({ cause: "aborted" });
    expect(asked.calls).toEqual([]);
  });

  it("drops what comes after the deadline", async () => {
    const late = Promise.withResolvers<LlmReport>();
    const { llm, clock } = bound(() => late.promise);
    const report = llm.complete(call());
    clock.fire();
    late.resolve(reply);
    expect(await report).toMatchObject({ cause: "timed-out" });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no key");
      },
      "no key",
    ],
    ["rejects", () => Promise.reject(new Error("ECONNRESET")), "ECONNRESET"],
    ["rejects with nothing", () => Promise.reject(undefined), "undefined"],
    ["gives nothing", () => undefined, "the provider gave no reply"],
    ["gives null", async () => null, "the provider gave no reply"],
    ["gives no text", async () => ({ ok: true, text: 5 }), "the provider gave no reply"],
    [
      "gives 10 MB",
      async () => ({ ok: true, text: "x".repeat(10_000_000) }),
      "the reply is longer than 1048576 characters",
    ],
  ])("calls it a failure when the provider %s", async (_, answer, message) => {
    const { llm, clock } = bound(answer);
    expect(await llm.complete(call())).toEqual({ ok: false, cause: "failed", message });
    expect(clock.timers.size).toBe(0);
  });

  it("passes on what the provider says of its failure", async () => {
    const report: LlmReport = { ok: false, cause: "no-model", message: "no model is chosen" };
    expect(await bound(async () => report).llm.complete(call())).toBe(report);
  });

  it.each([
    [Number.POSITIVE_INFINITY, 2 ** 31 - 1],
    [0, 1],
    [Number.NaN, 1],
  ])("takes no time that a timer cannot keep: %d ms", (timeoutMs, ms) => {
    const { llm, clock } = bound();
    void llm.complete(call({ timeoutMs }));
    expect([...clock.timers.values()].map((timer) => timer.ms)).toEqual([ms]);
  });

  it("refuses a call that follows from a call, and no other", async () => {
    const clock = new HandClock();
    const inner: LlmReport[] = [];
    let depth = 0;
    const llm: LlmTransport = boundLlm(
      {
        async complete() {
          await null;
          if (depth++ < 3) inner.push(await llm.complete(call()));
          return reply;
        },
      },
      clock,
    );
    expect(await llm.complete(call())).toBe(reply);
    expect(inner).toMatchObject([{ ok: false, cause: "failed" }]);
    depth = 3;
    expect(await Promise.all([llm.complete(call()), llm.complete(call())])).toEqual([reply, reply]);
  });
});
