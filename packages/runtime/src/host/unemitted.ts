import { catalog } from "../catalog/catalog.ts";
import { HooklineError } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import type { Plan, Scene } from "../hook/lane.ts";

/** Why an event was not emitted: it is not in the catalog, or its session is closed. */
export function unemitted(event: string, plan: Plan | undefined, { sessionId }: Scene): HooklineError {
  return plan === undefined
    ? new HooklineError("UNKNOWN_EVENT", { event, guess: guess(event, catalog.keys()) })
    : new HooklineError("SESSION_CLOSED", { session: sessionId });
}
