import type { EventName, Outcome, Payload } from "@hookline/runtime";
import type { Folded } from "@hookline/runtime/engine";

/** Asks the hooks of an event; resolves to the outcome. */
export type Emit = <E extends EventName>(event: E, payload: Payload<E>) => Promise<Outcome<Folded<E>>>;
