import { join } from "node:path";
import { shellQuoted } from "@hookline/runtime/engine";
import { realOf } from "../client/place.ts";
import type { At, Scope } from "../host/adapter.ts";
import type { BridgeHost } from "../host/host.ts";
import { CLIENT } from "./own-entries.ts";

/** How long before the host's time limit the bridge answers, in ms. */
const MARGIN_MS = 2000;

/**
 * Returns the shell command that a host runs for an event. It contains no version and, in a project's file, no path of
 * one person. `folder` is the variable with the session's folder, for a host that starts hooks elsewhere. If the client
 * is missing, the command of a guard refuses by itself.
 */
export function commandOf(
  host: BridgeHost,
  event: string,
  scope: Scope,
  { hooklineHome }: At,
  folder?: string,
): string {
  const of = host.events[event];
  if (of === undefined) throw new Error(`${host.label} has no event ${event}`);
  const path =
    scope === "project" ? `"\${HOOKLINE_HOME:-$HOME/.hookline}/${CLIENT}"` : quoted(join(realOf(hooklineHome), CLIENT));
  const deadlineMs = Math.max(1000, of.timeoutMs - MARGIN_MS);
  const words = [host.name, event, "--origin", `${host.name}-${scope}`, "--deadline", String(deadlineMs)];
  const start = `[ -x ${path} ] && exec ${path} ${[...words, ...(of.ends ? ["--detach"] : [])].join(" ")}`;
  const { stdout, stderr, exit } = of.refusal("hookline is not reachable (its client is not installed)");
  const said = [
    ...(stdout === "" ? [] : [`printf %s ${quoted(stdout)}`]),
    ...(stderr === "" ? [] : [`printf %s ${quoted(stderr)} >&2`]),
  ];
  const before = folder === undefined ? [] : [`cd "\${${folder}:-.}"`];
  return [...before, start, ...said, `exit ${exit}`].join("; ");
}

/** Quotes a text as one word of a shell. */
function quoted(text: string): string {
  return /^[\w/.:@%+=-]+$/.test(text) ? text : shellQuoted(text);
}
