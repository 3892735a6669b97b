import { diagnose } from "../../error/diagnostic.ts";
import { messageOf } from "../../error/error.ts";
import type { Instance } from "../../hook/instance.ts";
import type { Surroundings } from "../dialect.ts";
import { alive } from "../ui.ts";

/** Hears what is sent on a channel; what it returns is looked at only to report a promise's failure. */
export type Listener = (data: unknown) => unknown;

/** Messages between modules, by channel. `emit` is synchronous; promises of listeners are not waited for. */
export interface EventBus {
  emit(channel: string, data: unknown): void;
  on(channel: string, listener: Listener): () => void;
}

/** A bus of its own; a listener that throws or rejects is told to `failed` and stops nobody. */
export function createEventBus(
  failed: (channel: string, thrown: unknown) => void = (channel, thrown) =>
    console.error(`Event handler error (${channel}):`, thrown),
): EventBus & { clear(): void } {
  const channels = new Map<string, readonly Listener[]>();
  return {
    emit(channel, data) {
      for (const listener of channels.get(channel) ?? []) {
        try {
          watch(listener(data), (thrown) => failed(channel, thrown));
        } catch (thrown) {
          failed(channel, thrown);
        }
      }
    },
    on(channel, listener) {
      channels.set(channel, [...(channels.get(channel) ?? []), listener]);
      return () => {
        const left = [...(channels.get(channel) ?? [])];
        const at = left.indexOf(listener);
        if (at >= 0) left.splice(at, 1);
        channels.set(channel, left);
      };
    },
    clear: () => channels.clear(),
  };
}

/**
 * One module's access to the bus that all modules of its dialect share in a session.
 * Its listeners go with the instance; their errors become diagnostics of their own module.
 */
export function sessionBus(around: Surroundings, instance: Instance, dialect: string): EventBus {
  const key = `${dialect}.bus`;
  const bus = (around.shared.get(key) as EventBus | undefined) ?? createEventBus();
  around.shared.set(key, bus);
  const report = (channel: string, thrown: unknown): void => {
    const details = { what: `the channel "${channel}"`, problem: messageOf(thrown) };
    instance.report(diagnose("LISTENER_THREW", details, { source: instance.source }));
  };
  return {
    emit(channel, data) {
      if (alive(instance, "events.emit")) bus.emit(channel, data);
    },
    on(channel, listener) {
      if (!alive(instance, "events.on")) return () => {};
      const off = bus.on(channel, (data) => {
        try {
          watch(listener(data), (thrown) => report(channel, thrown));
        } catch (thrown) {
          report(channel, thrown);
        }
      });
      instance.use();
      const release = instance.own(off);
      return () => {
        release();
        off();
      };
    },
  };
}

/** Tells of a rejection where a listener has returned a promise. */
function watch(result: unknown, failed: (thrown: unknown) => void): void {
  const then: unknown = (result as { readonly then?: unknown } | null | undefined)?.then;
  if (typeof then === "function") Promise.resolve(result).catch(failed);
}
