import { isProviderKey } from "@hookline/ground";
import type { ProcessCall } from "../../port/process.ts";
import { isTelemetry } from "../../port/trace-context.ts";
import { markerFor, RUN_VARIABLE } from "./marker.ts";

/** The host's variables that the processes of a project's hooks get, besides `LC_*`. */
const PROJECT_VARIABLES: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "LANG",
  "TERM",
  "TMPDIR",
  "USER",
  "LOGNAME",
  "SHELL",
  "TZ",
  "HOOKLINE_REPLAY",
]);

/** Variables that hookline itself sets for programs; values that the host inherited belong to another run. */
export const OWN_VARIABLES: readonly string[] = ["HOOKLINE_RECHECK", RUN_VARIABLE];

/** A process's environment by name; `undefined` values are omitted. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment of one child (guarantees R15).
 *
 * In this order: the host's variables that the tier may see, but no provider keys or variables withheld by name; then
 * those that the call sets; then a hook's trace and the run's marker, which a call cannot change.
 */
export function environmentFor(
  { tier, env: set, trace }: Pick<ProcessCall, "tier" | "env" | "trace">,
  host: Variables,
  segment: string,
  withheld: ReadonlySet<string>,
): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  const isHook = trace !== undefined;
  for (const name of Object.keys(host)) {
    if (withheld.has(name) || !passes(name) || (isHook && isTelemetry(name))) continue;
    if (tier === "project" && !PROJECT_VARIABLES.has(name) && !name.startsWith("LC_")) continue;
    // The value is read last, because each read of `process.env` asks the system.
    const value = host[name];
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(set)) if (!isHook || !isTelemetry(name)) env[name] = value;
  if (trace !== undefined && trace !== "none") {
    env["TRACEPARENT"] = trace.traceparent;
    if (trace.tracestate !== undefined) env["TRACESTATE"] = trace.tracestate;
  }
  env[RUN_VARIABLE] = markerFor(host[RUN_VARIABLE], segment);
  return env;
}

/** Whether a variable may be passed on, by name; kept because the same names are checked for every process. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 4096;

function passes(name: string): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  const now = !isProviderKey(name);
  if (known.size < MAX_KNOWN) known.set(name, now);
  return now;
}
