import type { Payload } from "@hookline/runtime";
import { createHookRuntime, type HookRuntime, type HookSession } from "@hookline/runtime/session";
import { afterEach, expect, test, vi } from "vitest";
import { Sitting } from "../support/sitting.ts";

afterEach(() => vi.restoreAllMocks());

/** Registers handlers of the library in every session that is opened. */
function registering(register: (session: HookSession) => void): void {
  const runtime = Object.getPrototypeOf(createHookRuntime()) as HookRuntime;
  const { open } = runtime;
  vi.spyOn(runtime, "open").mockImplementation(async function opened(this: HookRuntime, options) {
    const session = await open.call(this, options);
    register(session);
    return session;
  });
}

/** Has what is due in 6 s or 60 s happen soon. */
function hurry(): void {
  const real = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((act: () => void, ms?: number) =>
    real(act, ms === 6_000 || ms === 60_000 ? 200 : ms)) as typeof setTimeout);
}

test("on a screen, hooks are told that a question waits, and later that the agent waits", async () => {
  hurry();
  const told: Payload<"notify">[] = [];
  const idle = Promise.withResolvers<void>();
  registering((session) => {
    session.on("tool.before", () => ({ decision: "ask", reason: "sure?" }));
    session.on("notify", (event) => {
      told.push(event);
      if (event.type === "idle_prompt") idle.resolve();
      return undefined;
    });
  });
  await using sitting = await Sitting.start({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "Fine." }] });
  sitting.say("Look");
  await sitting.terminal.until(/Run ls\?/);
  await vi.waitFor(() => expect(told).toHaveLength(1));
  expect(told[0]).toEqual({
    type: "permission_prompt",
    title: "Run ls?",
    message: "hookline is waiting for your answer: Run ls?",
  });
  sitting.terminal.press("enter");
  await sitting.terminal.until(/Fine\./);
  await idle.promise;
  expect(told.map(({ type }) => type)).toEqual(["permission_prompt", "idle_prompt"]);
});
