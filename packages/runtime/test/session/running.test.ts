import { expect, test } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import { lanesOf, openWith } from "../laws/session.ts";

const CALL = { toolCallId: "c", tool: "bash", args: { command: "ls" } };

test("a hook that is waited for is listed with its time, and a person can end it; a guard then refuses", async () => {
  const told: Diagnostic[] = [];
  const signals: AbortSignal[] = [];
  const { session, clock } = await openWith({
    dialects: lanesOf(["a"], "tool.before", () => (_, call) => {
      signals.push(call.signal);
      return new Promise(() => {});
    }),
    onDiagnostic: (diagnostic) => void told.push(diagnostic),
  });
  const emitted = session.emit("tool.before", CALL);
  clock.advance(4000);
  const [one, ...others] = session.running();
  expect([one?.label, one?.event, others]).toEqual(["/a", "tool.before", []]);
  expect(one?.ms).toBeGreaterThan(3000);
  one?.end();
  one?.end();
  expect((await emitted).answer).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("a person ended it"),
  });
  expect(signals[0]?.aborted).toBe(true);
  expect(session.running()).toEqual([]);
  expect(told.map(({ code }) => code)).toContain("HOOK_ENDED");
});
