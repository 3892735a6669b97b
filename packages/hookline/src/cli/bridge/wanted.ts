import type { AdapterFormat, At, BridgeHost, Entry, HostAdapter, Scope } from "@hookline/bridge";
import { commandOf, isOneFile } from "@hookline/bridge";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import { hostNamed } from "@hookline/integrations/hosts";
import { hooklineHomeOf, personHome } from "@hookline/runtime/session";
import { type Arguments, textFlag } from "../../start/args.ts";

/** The host, and the scope (`user` or `project`), that a command line asks to install, remove or show. */
export interface Wanted {
  readonly host: BridgeHost;
  readonly adapter: HostAdapter;
  readonly scope: Scope;
  readonly at: At;
  /** The path of the host's file for hook entries in this scope. */
  readonly path: string;
  readonly format: AdapterFormat;
}

/** Reads the host and the scope; throws for unknown ones. */
export async function wantedOf(args: Arguments, io: Io): Promise<Wanted> {
  const host = await hostNamed(args.words[0]);
  const scope = scopeOf(args);
  const adapter = await host.adapter();
  const at = atOf(io);
  if (scope === "project" && isOneFile(adapter, at))
    throw wrongUse(
      "--scope",
      `project: ${adapter.path("user", at)} is your own file, since this folder is not a project`,
      "Leave out --scope, or go to the project's folder.",
    );
  return { host, adapter, scope, at, path: adapter.path(scope, at), format: adapter.format(scope, at) };
}

/** Returns the person's home folder, hookline's home, the working folder and the environment. */
export function atOf({ env, cwd }: Io): At {
  const home = personHome(env);
  return { home, hooklineHome: hooklineHomeOf(env, home, cwd), cwd, env };
}

/** Returns the entries that `bridge install` writes into the host's file, one for each event. */
export function entriesOf(
  { host, adapter, scope, at }: Pick<Wanted, "host" | "adapter" | "scope" | "at">,
  guardsOnly: boolean,
): Entry[] {
  return Object.entries(host.events)
    .filter(([event, { guard }]) => (guard || !guardsOnly) && adapter.leavesOut?.(event, scope, at) !== true)
    .map(([event, { timeoutMs }]) => ({
      event,
      command: adapter.command?.(event) ?? commandOf(host, event, scope, at, adapter.folder),
      timeout: adapter.unit === "ms" ? timeoutMs : timeoutMs / 1000,
    }));
}

function scopeOf(args: Arguments): Scope {
  const scope = textFlag(args, "scope") ?? "user";
  if (scope === "user" || scope === "project") return scope;
  throw wrongUse("--scope", `is neither user nor project: ${scope}`, "Give --scope user or --scope project.");
}
