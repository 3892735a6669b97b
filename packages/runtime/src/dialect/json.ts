import type { JsonReading } from "../lens/json.ts";
import { HookFailure } from "../run/failure.ts";

export { JSON_LIMITS, type JsonReading, readJson } from "../lens/json.ts";

/**
 * The failure of a hook whose output cannot be read as JSON. Our limit of size is the engine's fault: a model could have
 * a guard's answer exceed it by what it puts into a call, where the guard repeats the call (guarantees 2.0). Nesting is
 * the hook's own fault: calls have a lower limit of depth themselves (R10).
 */
export function unreadJson({ problem, isOverLimit }: Extract<JsonReading, { readonly ok: false }>): HookFailure {
  return isOverLimit ? new HookFailure("engine", problem, "OUTPUT_LIMIT") : new HookFailure("bad", problem);
}
