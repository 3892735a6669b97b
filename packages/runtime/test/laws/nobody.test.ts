import { expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { catalog, type EventName } from "../../src/catalog/catalog.ts";
import { NOBODY } from "../../src/run/outcome.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { ManualClock } from "./clock.ts";

const untouchable = new Proxy(
  {},
  {
    get: () => {
      throw new Error("the payload was looked at");
    },
    ownKeys: () => {
      throw new Error("the payload was copied");
    },
  },
);

test.each([...catalog.keys()] as EventName[])(
  "law 6: %s without handlers costs no promise, no clone and no clock",
  async (event) => {
    const clock = new ManualClock();
    const session = await createHookRuntime({ home: NO_HOME, clock }).open({ scene: { sessionId: "s", cwd: "/" } });
    const { readings } = clock;
    const outcome = session.emit(event, untouchable as never);
    expect(outcome).toBe(NOBODY);
    expect([clock.readings, clock.timers]).toEqual([readings, 0]);
    expect(session.has(event)).toBe(false);
  },
);

test("law 6: the outcome without hooks is shared, so it cannot be changed", () => {
  for (const part of [NOBODY, NOBODY.answer, NOBODY.edits, NOBODY.hooks, NOBODY.notices, NOBODY.diagnostics])
    expect(Object.isFrozen(part)).toBe(true);
});

test("law 6: an event whose last handler has gone is an event without handlers", async () => {
  const session = await createHookRuntime({ home: NO_HOME }).open({ scene: { sessionId: "s", cwd: "/" } });
  const undo = session.on("turn.start", () => undefined);
  undo();
  expect(session.emit("turn.start", untouchable as never)).toBe(NOBODY);
});
