import { Instance } from "../../hook/instance.ts";
import type { Scene } from "../../hook/lane.ts";
import type { HostServices } from "../../port/host.ts";
import type { Owner } from "./owner.ts";

/**
 * What a host passes to `withSession` when a command has replaced the session: the new session.
 * The dialect makes of it the context that the module's function gets.
 */
export interface ReplacedSession {
  readonly services: HostServices;
  readonly scene: Scene;
  /** Ends the context's life when the new session ends. */
  readonly signal?: AbortSignal;
}

/** A module as it lives on in the session that has replaced its own, until its function returns. */
export function ownerIn({ around, instance, name }: Owner, { services, scene, signal }: ReplacedSession): Owner {
  const next = new Instance(instance.lane, instance.source, {
    add: () => {},
    remove: () => {},
    report: (diagnostic) => instance.report(diagnostic),
  });
  signal?.addEventListener("abort", () => next.dispose(), { once: true });
  return { around: { ...around, services, scene }, instance: next, name, bound: true };
}
