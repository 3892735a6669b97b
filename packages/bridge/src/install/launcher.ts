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
  /** The program; it stays where it is when hookline is replaced, since hosts trust the text of a command. */
  readonly path: string;
  /** False where Node answers, which takes longer. */
  readonly isNative: boolean;
  /** The command of an event, for a host that gives it to a shell. */
  command(event: string, entry: { readonly origin: string; readonly deadlineMs: number }): string;
}

/** Parts that the launcher is made from. */
export interface LauncherParts {
  readonly hooklineHome: string;
  readonly host: BridgeHost;
  /** The program that starts the daemon and, where there is no native client, answers: Node and hookline's script. */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Names a client that somebody has built; see `native/hookline-hook.c`. */
const CLIENT_VARIABLE = "HOOKLINE_BRIDGE_CLIENT";

/** Stands for the reason while a refusal is written to a file; the client knows it as byte 1. */
const REASON = "the-reason-of-this-refusal";

/** Puts the client and what it reads into hookline's home; what is the same is left alone. */
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
  // A native client that somebody has put there stays, although this run knows none.
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
 * Brings what was put in place up to date with this version, for every host that has it. Only the program that was
 * installed does so: another copy of hookline would lead the hosts to itself. Never throws.
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
      // Clients go on with what they have.
    }
  }
}

function programText({ program }: Pick<LauncherParts, "program">): string {
  return `${program.join("\n")}\n`;
}

function filesFolder(home: string): string {
  return join(home, "bin", "bridge");
}

/** The bytes of the client for this system: one that somebody names, that of this build, or that of its package. */
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

/** The file of the client for Node, beside what both clients read. */
const NODE_CLIENT = "client.cjs";

/** A script that starts the client for Node, where there is no native one. */
function nodeClient(home: string, [node = "node"]: readonly string[]): Buffer {
  const words = [node, join(filesFolder(home), NODE_CLIENT), home].map(quoted).join(" ");
  return Buffer.from(`#!/bin/sh\nexec ${words} "$@"\n`);
}

/** Which client the hosts of a home run; nothing where none is installed. */
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

/** How much longer the client for Node takes, rounded: the median of 150 calls of each, in turn. */
const TIMES_SLOWER = 25;

/** Whether a file is there that is no script. */
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

/** Puts a file in place in one step, so that nobody runs or reads half of it. */
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
