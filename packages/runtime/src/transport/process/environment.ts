import { isProviderKey } from "../../decode/provider-keys.ts";
import type { Tier } from "../../error/diagnostic.ts";
import { markerFor, RUN_VARIABLE } from "./marker.ts";

/** What a project's processes see of the host's environment, besides `LC_*`. */
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
]);

/** Through these hookline itself speaks to programs; a value that a host inherited is another run's. */
export const OWN_VARIABLES: readonly string[] = ["HOOKLINE_RECHECK", RUN_VARIABLE];

/** A process's environment by name; what is `undefined` is not in it. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The environment of one child (guarantees R15).
 *
 * In this order: the host's variables as far as the tier lets them through, for every tier without provider keys and
 * what is withheld by name; then what the call sets; then the run's marker, which a call cannot change.
 */
export function environmentFor(
  tier: Tier,
  host: Variables,
  set: Readonly<Record<string, string>>,
  segment: string,
  withheld: ReadonlySet<string>,
  without?: string,
): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  for (const name of Object.keys(host)) {
    if (withheld.has(name) || !passes(name) || (without !== undefined && name.startsWith(without))) continue;
    if (tier === "project" && !PROJECT_VARIABLES.has(name) && !name.startsWith("LC_")) continue;
    // Read last: the system is asked for each value of `process.env`.
    const value = host[name];
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(set)) env[name] = value;
  env[RUN_VARIABLE] = markerFor(host[RUN_VARIABLE], segment);
  return env;
}

/** By name, since the same names are asked about for every process. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 4096;

function passes(name: string): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  const now = !isProviderKey(name);
  if (known.size < MAX_KNOWN) known.set(name, now);
  return now;
}
