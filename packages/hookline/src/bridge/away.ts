import { readFileSync } from "node:fs";
import { type BridgeEvent, type NativeAnswer, SILENCE } from "./host.ts";
import type { DaemonPlace } from "./place.ts";

/** What a guard's reason says where the daemon gives no answer. */
export function notReachable(because: string): string {
  return `hookline is not reachable (${because})`;
}

/**
 * The answer without a daemon. A guard refuses, unless the last daemon has left word that no guard hangs on the event;
 * everything else says nothing.
 */
export function awayAnswer(
  { host, event: name, of }: { readonly host: string; readonly event: string; readonly of: BridgeEvent },
  { closed }: Pick<DaemonPlace, "closed">,
  because: string,
): NativeAnswer {
  return of.guard && !isOpen(closed, `open ${host} ${name}`) ? of.refusal(notReachable(because)) : SILENCE;
}

function isOpen(table: string, line: string): boolean {
  try {
    return readFileSync(table, "utf8").split("\n").slice(0, -1).includes(line);
  } catch {
    return false;
  }
}
