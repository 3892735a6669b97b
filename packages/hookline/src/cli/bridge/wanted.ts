import { HooklineError } from "@hookline/runtime";
import { chooseFrom, hooklineHomeOf, personHome } from "@hookline/runtime/internal";
import type { BridgeHost } from "../../bridge/host.ts";
import { HOSTS } from "../../bridge/hosts/index.ts";
import type { AdapterFormat, At, Entry, HostAdapter, Scope } from "../../bridge/install/adapter.ts";
import { commandOf } from "../../bridge/install/command.ts";
import { isOneFile } from "../../bridge/install/installed.ts";
import type { Io } from "../../io/io.ts";
import { type Arguments, textFlag } from "../../start/args.ts";

/** What a command line asks to install, remove or show. */
export interface Wanted {
  readonly host: BridgeHost;
  readonly adapter: HostAdapter;
  readonly scope: Scope;
  readonly at: At;
  /** The host's file. */
  readonly path: string;
  readonly format: AdapterFormat;
}

/** Reads the host and the scope; throws for unknown ones. */
export async function wantedOf(args: Arguments, io: Io): Promise<Wanted> {
  const host = await hostOf(args.words[0]);
  const scope = scopeOf(args);
  const adapter = await host.adapter();
  const at = atOf(io);
  if (scope === "project" && isOneFile(adapter, at))
    throw new HooklineError("INVALID_OPTION", {
      option: "--scope",
      problem: `project: ${adapter.path("user", at)} is your own file, since this folder is not a project`,
      remedy: "Leave out --scope, or go to the project's folder.",
    });
  return { host, adapter, scope, at, path: adapter.path(scope, at), format: adapter.format(scope, at) };
}

/** The folders of the person who runs the command. */
export function atOf({ env, cwd }: Io): At {
  const home = personHome(env);
  return { home, hooklineHome: hooklineHomeOf(env, home, cwd), cwd, env };
}

/** A host by its name. */
export async function hostOf(name: string | undefined): Promise<BridgeHost> {
  const load = name !== undefined && Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined;
  if (load !== undefined) return load();
  throw new HooklineError("INVALID_OPTION", {
    option: "HOST",
    problem: name === undefined ? "is missing" : `is not an agent that hookline knows: ${name}`,
    remedy: chooseFrom(name ?? "", Object.keys(HOSTS)),
  });
}

/** The entries that an installation writes. */
export function entriesOf(
  { host, adapter, scope, at }: Pick<Wanted, "host" | "adapter" | "scope" | "at">,
  guardsOnly: boolean,
): Entry[] {
  return Object.entries(host.events)
    .filter(([, { guard }]) => guard || !guardsOnly)
    .map(([event, { timeoutMs }]) => ({
      event,
      command: adapter.command?.(event) ?? commandOf(host, event, scope, at, adapter.folder),
      timeout: adapter.unit === "ms" ? timeoutMs : timeoutMs / 1000,
    }));
}

function scopeOf(args: Arguments): Scope {
  const scope = textFlag(args, "scope") ?? "user";
  if (scope === "user" || scope === "project") return scope;
  throw new HooklineError("INVALID_OPTION", {
    option: "--scope",
    problem: `is neither user nor project: ${scope}`,
    remedy: "Give --scope user or --scope project.",
  });
}
