import { isProviderKey } from "@hookline/ground";
import type { BridgeHost } from "./host.ts";

/** Environment variables that hooks see in any host: names, or prefixes that end in `*`. */
const EVERYWHERE: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "TMPDIR",
  "XDG_*",
  "HOOKLINE_HOME",
  // Without these variables, a machine that belongs to a fleet by its environment alone would lose the fleet's guards.
  "HOOKLINE_FLEET_*",
  "SSH_AUTH_SOCK",
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "VIRTUAL_ENV",
  "CI",
];

/**
 * Returns the variables that a host's hooks see: names, or prefixes that end in `*`. `bridge install` writes them
 * beside the client.
 */
export function allowedNames(host: Pick<BridgeHost, "environment">): readonly string[] {
  const known = names.get(host) ?? [...new Set([...EVERYWHERE, ...host.environment])];
  names.set(host, known);
  return known;
}

const names = new WeakMap<object, readonly string[]>();

/** Returns the variables that are passed to the daemon and to hooks; never a model's API key. */
export function allowedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[],
): Record<string, string> {
  const passes = (name: string): boolean =>
    allowed.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || isProviderKey(name) || !passes(name) ? [] : [[name, value] as const],
    ),
  );
}
