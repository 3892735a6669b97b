import { expect, test, vi } from "vitest";
import type { Call } from "../../../runtime/src/hook/call.ts";
import type { Instance } from "../../../runtime/src/hook/instance.ts";
import { Asking } from "../../src/in-process/ui.ts";

/** A handler's dialogs, and whether its clock runs. */
function handler() {
  const stopped = vi.fn();
  const instance = { disposed: false, signal: new AbortController().signal } as Instance;
  const call = {
    signal: new AbortController().signal,
    pause() {
      stopped(true);
      return () => stopped(false);
    },
  } as Partial<Call> as Call;
  const ui = { confirm: async () => true };
  return { asking: new Asking({ ui }, instance, call), isStopped: () => stopped.mock.lastCall?.[0] === true };
}

test("a dialog with an invalid signal fails, and the handler's clock keeps running", async () => {
  const { asking, isStopped } = handler();
  await expect(asking.confirm("Sure?", "", { signal: new AbortController() as never })).rejects.toThrow(TypeError);
  expect(isStopped()).toBe(false);
});

test("a dialog takes null for no signal, as pi does", async () => {
  const { asking } = handler();
  expect(await asking.confirm("Sure?", "", { signal: null as never })).toBe(true);
});
