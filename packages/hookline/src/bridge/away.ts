import { readFileSync } from "node:fs";
import { FLEET_VARIABLES } from "./environment.ts";
import { type BridgeEvent, type NativeAnswer, SILENCE } from "./host.ts";
import type { DaemonPlace } from "./place.ts";

/** What a guard's reason says where the daemon gives no answer. */
export function notReachable(because: string): string {
  return `hookline is not reachable (${because})`;
}

/**
 * The answer without a daemon. A guard refuses, unless the last daemon has left word that no guard hangs on the event;
 * everything else says nothing. `env` is the host's: where it names a fleet, guards refuse whatever the daemon has left,
 * because it may have served only hosts outside of that fleet.
 */
export function awayAnswer(
  { host, event: name, of }: { readonly host: string; readonly event: string; readonly of: BridgeEvent },
  { closed }: Pick<DaemonPlace, "closed">,
  env: Readonly<Record<string, string>>,
  because: string,
): NativeAnswer {
  const isMember = Object.keys(env).some((variable) => variable.startsWith(FLEET_VARIABLES));
  return of.guard && (isMember || !isOpen(closed, `open ${host} ${name}`))
    ? of.refusal(notReachable(because))
    : SILENCE;
}

function isOpen(table: string, line: string): boolean {
  try {
    return readFileSync(table, "utf8").split("\n").slice(0, -1).includes(line);
  } catch {
    return false;
  }
}
