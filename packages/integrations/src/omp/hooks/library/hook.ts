import { messageOf } from "@hookline/ground";
import { diagnose } from "@hookline/runtime/dialect";
import { Instance } from "@hookline/runtime/engine";
import type { Owner } from "../../../in-process/owner.ts";
import type { LoadedHook } from "./collected.ts";

const instances = new WeakMap<LoadedHook, Instance>();

/**
 * An instance for a hook that a module loads itself: it is reported under its own path, ends with the module, and is
 * not in any lane of the session.
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

/** The instance of a loaded hook; created for hooks that were built by hand. */
export function instanceOf(owner: Owner, hook: LoadedHook): Instance {
  const known = instances.get(hook) ?? ownInstance(owner, hook.resolvedPath ?? hook.path);
  instances.set(hook, known);
  return known;
}

/** Calls a listener whose errors must have no effect. */
export function tellSafely(instance: Instance, what: string, listener: () => unknown): void {
  try {
    listener();
  } catch (thrown) {
    const details = { what, problem: messageOf(thrown) };
    instance.report(diagnose("LISTENER_THREW", details, { source: instance.source }));
  }
}
