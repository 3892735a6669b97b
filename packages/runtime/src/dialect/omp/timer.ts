import { diagnose } from "../../error/diagnostic.ts";
import { messageOf } from "../../error/error.ts";
import type { Instance } from "../../hook/instance.ts";
import { MAX_MS, type Timer } from "../../port/clock.ts";
import type { Owner } from "../inprocess/owner.ts";
import { alive } from "../ui.ts";

/** Timers that end with their module; what they throw is reported and ends nothing. */
export interface ManagedTimers {
  setTimeout(run: () => unknown, ms?: number): object;
  setInterval(run: () => unknown, ms?: number): object;
  /** Ends a timer of either kind; anything else is left alone. */
  clearTimer(handle: unknown): void;
}

/** What is armed, by instance and by what the module was given for it. */
const armed = new WeakMap<Instance, Map<object, Timer>>();

/** Makes the timers of one module. An interval's next turn is armed when its last has been started. */
export function managedTimers({ around, instance }: Owner): ManagedTimers {
  const start = (member: string, run: () => unknown, ms: number, again: boolean): object => {
    const handle = {};
    if (!alive(instance, `ctx.${member}`) || typeof run !== "function") return handle;
    const timers = timersOf(instance);
    const arm = (): void => {
      const wait = Math.min(Math.max(Number(ms) || 0, 1), MAX_MS);
      timers.set(
        handle,
        around.clock.timer(wait, () => {
          timers.delete(handle);
          if (again) arm();
          fire(instance, run);
        }),
      );
    };
    arm();
    return handle;
  };
  return {
    setTimeout: (run, ms = 0) => start("setTimeout", run, ms, false),
    setInterval: (run, ms = 0) => start("setInterval", run, ms, true),
    clearTimer(handle) {
      const timers = timersOf(instance);
      timers.get(handle as object)?.cancel();
      timers.delete(handle as object);
    },
  };
}

function timersOf(instance: Instance): Map<object, Timer> {
  const known = armed.get(instance);
  if (known !== undefined) return known;
  const timers = new Map<object, Timer>();
  armed.set(instance, timers);
  instance.own(() => {
    for (const timer of timers.values()) timer.cancel();
    timers.clear();
  });
  return timers;
}

function fire(instance: Instance, run: () => unknown): void {
  const failed = (thrown: unknown): void => {
    const details = { path: instance.source.path, problem: messageOf(thrown) };
    instance.report(diagnose("HOOK_LATE_ERROR", details, { source: instance.source }));
  };
  try {
    Promise.resolve(run()).catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}
