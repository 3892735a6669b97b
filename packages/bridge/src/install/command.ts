import { join } from "node:path";
import { shellQuoted } from "@hookline/runtime/engine";
import { realOf } from "../client/place.ts";
import type { At, Scope } from "../host/adapter.ts";
import type { BridgeHost } from "../host/host.ts";
import { CLIENT } from "./own-entries.ts";

/** How much earlier than the host gives up the bridge answers, in ms. */
const MARGIN_MS = 2000;

/**
 * The command that a host gives to a shell for an event. It names no version; in a project's file it names no folder of a
 * person's either. `folder` is the variable that names the session's folder, where the host starts hooks elsewhere. Where the client is not there a guard refuses all the same: the command says so itself.
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

/** A text as one word of a shell. */
function quoted(text: string): string {
  return /^[\w/.:@%+=-]+$/.test(text) ? text : shellQuoted(text);
}
