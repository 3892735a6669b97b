import { expect, test } from "vitest";
import { dialectOf, openWith } from "../laws/session.ts";

test("a lane's own limit ends the wait for all its hooks of the session's end together", async () => {
  const of = dialectOf("a", "session.end", (instance) => {
    for (let i = 0; i < 3; i++) instance.on({ event: "session.end", run: () => new Promise(() => {}) });
  });
  const lanes = of.lanes.map((lane) => ({
    ...lane,
    rows: lane.rows.map((row) => ({ ...row, schedule: "parallel" as const, timeoutMs: 1500 })),
  }));
  const { session, clock, runtime } = await openWith({ dialects: [{ ...of, lanes }] });
  let isOver = false;
  const ending = Promise.resolve(session.emit("session.end", { reason: "quit" })).then((outcome) => {
    isOver = true;
    return outcome;
  });
  await clock.advance(1400);
  expect(isOver).toBe(false);
  await clock.advance(200);
  const outcome = await ending;
  expect(outcome.diagnostics.map(({ code }) => code)).toEqual(["HOOK_TIMED_OUT", "HOOK_TIMED_OUT", "HOOK_TIMED_OUT"]);
  await runtime.close();
});
