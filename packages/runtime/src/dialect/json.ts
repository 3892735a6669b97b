import type { JsonReading } from "../lens/json.ts";
import { HookFailure } from "../run/failure.ts";

export { JSON_LIMITS, type JsonReading, readJson } from "../lens/json.ts";

/**
 * Returns the failure of a hook whose output cannot be read as JSON. Exceeding hookline's size limit is an engine
 * failure: a model could make a guard's answer too long by the text of a call, if the guard repeats the call
 * (guarantees 2.0). Nesting that is too deep is the hook's own fault: a repeated call cannot cause it, because calls
 * have a lower limit of depth (R10).
 */
export function unreadJson({ problem, isOverLimit }: Extract<JsonReading, { readonly ok: false }>): HookFailure {
  return isOverLimit ? new HookFailure("engine", problem, "OUTPUT_LIMIT") : new HookFailure("bad", problem);
}
