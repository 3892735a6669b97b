import { messageOf } from "@hookline/ground";
import { diagnose } from "@hookline/runtime/dialect";
import { Instance } from "@hookline/runtime/engine";
import type { Owner } from "../../../in-process/owner.ts";
import type { LoadedHook } from "./collected.ts";

const instances = new WeakMap<LoadedHook, Instance>();

/**
 * Makes the instance for a hook that a module loads itself. It has the hook's own path, for reports. It ends with the
 * module, and no lane of the session gets its handlers.
 */
export function ownInstance(owner: Owner, path: string): Instance {
  const { instance } = owner;
  const own = new Instance(
    "omp-hooks",
    { path, tier: instance.source.tier, dialect: "omp", api: "hook" },
    { add: () => {}, remove: () => {}, report: (diagnostic) => instance.report(diagnostic) },
  );
  instance.own(() => own.dispose());
  return own;
}

/** Remembers which instance a loaded hook belongs to. */
export function belongsTo(hook: LoadedHook, instance: Instance): void {
  instances.set(hook, instance);
}

/** Returns the instance of a loaded hook. It is created for a hook that was not made by the loader. */
export function instanceOf(owner: Owner, hook: LoadedHook): Instance {
  const known = instances.get(hook) ?? ownInstance(owner, hook.resolvedPath ?? hook.path);
  instances.set(hook, known);
  return known;
}

/** Calls a listener and reports its errors instead of throwing them. */
export function tellSafely(instance: Instance, what: string, listener: () => unknown): void {
  try {
    listener();
  } catch (thrown) {
    const details = { what, problem: messageOf(thrown) };
    instance.report(diagnose("LISTENER_THREW", details, { source: instance.source }));
  }
}
