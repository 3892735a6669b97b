import type { JsonReading } from "../lens/json.ts";
import { HookFailure } from "../run/failure.ts";

export { JSON_LIMITS, type JsonReading, readJson } from "../lens/json.ts";

/**
 * Returns the failure of a hook whose output cannot be read as JSON. Output above hookline's size limit is an engine
 * failure, so that a guard refuses: if the guard repeats the call in its answer, a long call could exceed the limit
 * (guarantees 2.0). Nesting that is too deep is the hook's own fault, because no call may be nested that deeply (R10).
 */
export function unreadJson({ problem, isOverLimit }: Extract<JsonReading, { readonly ok: false }>): HookFailure {
  return isOverLimit ? new HookFailure("engine", problem, "OUTPUT_LIMIT") : new HookFailure("bad", problem);
}
