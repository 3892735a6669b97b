import { describe, expect, it } from "vitest";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { Bench, call, codes } from "../../../integrations/test/jcli/kit.ts";
import type { LlmCall, LlmReport, LlmTransport } from "../../src/port/llm.ts";
import { boundLlm } from "../../src/transport/llm/bounded.ts";

type Answer = (call: LlmCall) => Promise<LlmReport>;

const says =
  (text: string): Answer =>
  async () => ({ ok: true, text });
const fails =
  (cause: "failed" | "no-model", message: string): Answer =>
  async () => ({ ok: false, cause, message });

/** Ways in which a model can fail to judge, with the code that each is reported by. */
const FAULTS: Readonly<Record<string, readonly [Answer, string]>> = {
  "hangs, whatever its signal says": [() => new Promise(() => {}), "HOOK_TIMED_OUT"],
  "answers after the deadline": [
    ({ signal }) =>
      new Promise((resolve) => signal?.addEventListener("abort", () => resolve({ ok: true, text: "{}" }))),
    "HOOK_TIMED_OUT",
  ],
  "says 400": [fails("failed", "400 secret"), "HOOK_THREW"],
  "says 401": [fails("failed", "401 secret"), "HOOK_THREW"],
  "says 500": [fails("failed", "500 secret"), "HOOK_THREW"],
  "breaks the connection": [() => Promise.reject(new Error("ECONNRESET secret")), "HOOK_THREW"],
  "has no model": [fails("no-model", "none"), "HOOK_THREW"],
  "gives no reply": [async () => undefined as never, "HOOK_THREW"],
  "gives 10 MB": [says(`{"action":"skip","retry_feedback":"${"x".repeat(10_000_000)}"}`), "HOOK_THREW"],
  "gives no JSON": [says("I would rather not say"), "HOOK_BAD_ANSWER"],
  "gives half an object": [says('{"action":"skip"'), "HOOK_BAD_ANSWER"],
  "gives the wrong type": [says('{"action":true}'), "HOOK_BAD_ANSWER"],
};

/** A second of the definition is a hundredth here. */
const quickClock: Clock = { ...systemClock, timer: (ms, fire) => systemClock.timer(ms / 100, fire) };

/** Failure policies of a definition, each with the resulting attempts and decision. */
const POLICIES = [
  { retry: 1, onError: "skip", attempts: 2, decision: undefined },
  { retry: 0, onError: "abort", attempts: 1, decision: "deny" },
  { retry: 2, onError: "abort", attempts: 3, decision: "deny" },
] as const;

const CASES = Object.keys(FAULTS).flatMap((fault) => POLICIES.map((policy) => ({ fault, ...policy })));

describe("a judge over a model that cannot be relied on", () => {
  it.each(CASES)(
    "that $fault is asked $attempts times, and then $onError decides",
    async ({ fault, retry, onError, attempts, decision }) => {
      const [answer, code] = FAULTS[fault] as (typeof FAULTS)[string];
      const bench = new Bench();
      bench.user(
        `pre_tool_execution:\n  - type: llm\n    prompt: judge {{tool_name}}\n    timeout: 1\n    retry: ${retry}\n    on_error: ${onError}\n`,
      );
      let asked = 0;
      const provider: LlmTransport = {
        complete(request) {
          asked += 1;
          return answer(request);
        },
      };
      const session = await bench.open({ llm: boundLlm(provider, quickClock) });
      const outcome = await session.emit("tool.before", call());
      expect(asked).toBe(attempts);
      expect(session.hooks()[0]?.hook.metrics).toMatchObject({ runs: attempts, failed: attempts, ok: 0 });
      expect((outcome.answer as { decision?: string }).decision).toBe(decision);
      expect(codes(outcome.diagnostics)).toContain(code);
      expect(JSON.stringify(outcome.diagnostics)).not.toContain("secret");
    },
  );

  it("never asks a judge while one is being asked", async () => {
    const bench = new Bench();
    bench.user("pre_tool_execution:\n  - type: llm\n    prompt: judge\n    retry: 0\n    on_error: abort\n");
    let asked = 0;
    let inner: unknown;
    const session: Promise<Awaited<ReturnType<Bench["open"]>>> = bench.open({
      llm: boundLlm(
        {
          // A host whose own requests fire hooks.
          async complete() {
            asked += 1;
            inner = (await (await session).emit("tool.before", call())).answer;
            return { ok: true, text: "{}" };
          },
        },
        systemClock,
      ),
    });
    const outcome = await (await session).emit("tool.before", call());
    expect(asked).toBe(1);
    expect(inner).toMatchObject({ decision: "deny" });
    expect(outcome.answer).toEqual({});
  });
});
