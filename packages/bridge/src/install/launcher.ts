import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { shellQuoted } from "@hookline/runtime/engine";
import { clientText } from "../client/client-text.ts";
import { realOf } from "../client/place.ts";
import { allowedNames } from "../host/environment.ts";
import type { BridgeHost } from "../host/host.ts";
import { CLIENT } from "./own-entries.ts";

/** The installed program that a host runs for its hooks. */
export interface Launcher {
  /** The program's path, which never changes: hosts trust a command by its text, even when hookline is updated. */
  readonly path: string;
  /** False if Node runs the client, which takes longer. */
  readonly isNative: boolean;
  /** Returns the shell command for an event. */
  command(event: string, entry: { readonly origin: string; readonly deadlineMs: number }): string;
}

/** Dependencies for installing the launcher. */
export interface LauncherParts {
  readonly hooklineHome: string;
  readonly host: BridgeHost;
  /**
   * The program that starts the daemon and, if there is no native client, runs the client: Node with hookline's script.
   */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Variable with the path of a client that a person has built; see `native/hookline-hook.c`. */
const CLIENT_VARIABLE = "HOOKLINE_BRIDGE_CLIENT";

/** Placeholder for a refusal's reason. The file has byte 1 instead, which the client replaces by a reason. */
const REASON = "the-reason-of-this-refusal";

/** Installs the client and its files in hookline's home; files that are already the same are left alone. */
export function placeLauncher({ hooklineHome, host, program, env }: LauncherParts): Launcher {
  const home = realOf(hooklineHome);
  const path = join(home, CLIENT);
  const folder = filesFolder(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  put(join(folder, "runtime"), programText({ program }), 0o600);
  put(join(folder, `environment-${host.name}`), `${allowedNames(host).join("\n")}\n`, 0o600);
  for (const [event, of] of Object.entries(host.events)) {
    const { exit, stdout, stderr } = of.refusal(REASON);
    const text = [String(exit), stdout, stderr].join("\0").replaceAll(REASON, "\u0001");
    put(join(folder, `refusal-${host.name}-${event}`), text, 0o600);
  }
  const client = nativeClient(env);
  put(join(folder, NODE_CLIENT), clientText("script"), 0o600);
  // A native client that is already installed stays, even if this run has none to install.
  const isNative = client !== undefined || isProgram(path);
  if (client !== undefined || !isNative) put(path, client ?? nodeClient(home, program), 0o700);
  return {
    path,
    isNative,
    command: (event, { origin, deadlineMs }) => {
      const words = [path, host.name, event, "--origin", origin, "--deadline", String(deadlineMs)];
      const ends = host.events[event]?.ends === true ? ["--detach"] : [];
      return `exec ${[...words, ...ends].map(quoted).join(" ")}`;
    },
  };
}

/**
 * Updates the installed files to this version, for every host that has them. Does nothing in a copy of hookline that is
 * not the one the hosts start, since the hosts would then start this copy. Never throws.
 */
export async function refreshLauncher(
  parts: Omit<LauncherParts, "host">,
  hosts: Readonly<Record<string, () => Promise<BridgeHost>>>,
): Promise<void> {
  const folder = filesFolder(realOf(parts.hooklineHome));
  if (!isThere(join(folder, "runtime"), Buffer.from(programText(parts)))) return;
  for (const [name, load] of Object.entries(hosts)) {
    try {
      if (existsSync(join(folder, `environment-${name}`))) placeLauncher({ ...parts, host: await load() });
    } catch {
      // If the update fails, clients continue with the old files.
    }
  }
}

function programText({ program }: Pick<LauncherParts, "program">): string {
  return `${program.join("\n")}\n`;
}

function filesFolder(home: string): string {
  return join(home, "bin", "bridge");
}

/**
 * Returns the native client for this system: the one that `HOOKLINE_BRIDGE_CLIENT` names, that of this build, or that
 * of its package.
 */
function nativeClient(env: LauncherParts["env"]): Buffer | undefined {
  const named = env[CLIENT_VARIABLE] ?? "";
  if (isAbsolute(named)) return readFileSync(named);
  const file = `bridge-${process.platform}-${process.arch}/hookline-hook`;
  const inBuild = new URL(file, import.meta.url);
  try {
    if (existsSync(inBuild)) return readFileSync(inBuild);
    return readFileSync(createRequire(import.meta.url).resolve(`@hookline/${file}`));
  } catch {
    return undefined;
  }
}

/** File name of the client for Node, in the folder with the files that the native client reads too. */
const NODE_CLIENT = "client.cjs";

/** Returns a script that starts the client for Node, used if there is no native one. */
function nodeClient(home: string, [node = "node"]: readonly string[]): Buffer {
  const words = [node, join(filesFolder(home), NODE_CLIENT), home].map(quoted).join(" ");
  return Buffer.from(`#!/bin/sh\nexec ${words} "$@"\n`);
}

/** Returns which client the hosts of a home run; `undefined` if none is installed. */
export function clientOf(hooklineHome: string): "native" | "Node" | undefined {
  const path = join(hooklineHome, CLIENT);
  if (!existsSync(path)) return undefined;
  return isProgram(path) ? "native" : "Node";
}

/** Describes a client to a person. */
export function clientSays(client: "native" | "Node"): string {
  return client === "native"
    ? "the native client answers"
    : `Node answers, and takes about ${TIMES_SLOWER} times as long as the native client; \`npm run build\` makes one where there is a C compiler`;
}

/** How many times as long a call takes with the client for Node as with the native one: the median of 150 each. */
const TIMES_SLOWER = 25;

/** Whether a path is a file that is not a script. */
function isProgram(path: string): boolean {
  try {
    return !readFileSync(path).subarray(0, 2).equals(Buffer.from("#!"));
  } catch {
    return false;
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** Replaces a file in one step, so that nobody runs or reads half of it. */
function put(path: string, content: string | Buffer, mode: number): void {
  const bytes = Buffer.from(content);
  if (isThere(path, bytes)) {
    chmodSync(path, mode);
    return;
  }
  const fresh = `${path}.${process.pid}.new`;
  try {
    writeFileSync(fresh, bytes, { mode });
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function isThere(path: string, bytes: Buffer): boolean {
  try {
    return readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}
