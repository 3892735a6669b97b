import { messageOf } from "@hookline/ground";
import { diagnose } from "@hookline/runtime/dialect";
import { Instance } from "@hookline/runtime/engine";
import type { Owner } from "../../../in-process/owner.ts";
import type { LoadedHook } from "./collected.ts";

const instances = new WeakMap<LoadedHook, Instance>();

/**
 * Makes an `Instance` to own the handlers of a hook that a module loads itself. Reports name the hook's own path. The
 * session never asks these handlers, and the `Instance` ends with the module.
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

/** Makes an `Instance` the owner of a loaded hook's handlers, so that their failures are reported as its own. */
export function belongsTo(hook: LoadedHook, instance: Instance): void {
  instances.set(hook, instance);
}

/** Returns the `Instance` that owns a hook's handlers; makes one if the hook does not come from the loader. */
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
