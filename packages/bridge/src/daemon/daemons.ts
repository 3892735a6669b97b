import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readJson } from "@hookline/ground";
import { isAlive } from "@hookline/ground/system";
import { askDaemon, CONTROL } from "../client/client.ts";
import { type DaemonPlace, daemonPlace, placeIn, runFolder } from "../client/place.ts";
import { pidIn } from "./claim.ts";
import type { DaemonStatus } from "./serve.ts";

/** A daemon that has left its note, and whether it answers. */
export interface FoundDaemon {
  readonly place: DaemonPlace;
  readonly pid: number;
  readonly cwd: string;
  readonly version: string;
  /** The daemon's status; absent if it does not answer. */
  readonly status?: DaemonStatus;
}

/** How long a daemon is asked about itself, and how long it may take to end, in ms. */
const ASKED_MS = 2000;
const ENDING_MS = 10_000;
const STEP_MS = 50;

/** The daemons of a run folder that are alive, as `bridge status` shows them. */
export async function daemonsIn(folder: string): Promise<FoundDaemon[]> {
  const names = namesIn(folder).flatMap((name) => /^([0-9a-f]{16})\.pid$/.exec(name)?.[1] ?? []);
  const found = await Promise.all(names.map((name) => daemonAt(placeIn(folder, name))));
  return found.filter((one) => one !== undefined);
}

/**
 * The daemons of a home, wherever the environment of their hosts has had them listen. A run folder of a login may hold those
 * of several homes, and a name is made of the home and the daemon's folder.
 */
export async function daemonsOfHome(hooklineHome: string, env: Readonly<Record<string, string | undefined>>) {
  const folders = new Set([runFolder(hooklineHome, env), runFolder(hooklineHome, {})]);
  const found = await Promise.all([...folders].map(daemonsIn));
  return found
    .flat()
    .filter(({ place, cwd }) => basename(place.socket) === basename(daemonPlace(hooklineHome, cwd, env).socket));
}

/** The daemon of a place, where one is alive. */
export async function daemonAt(place: DaemonPlace): Promise<FoundDaemon | undefined> {
  const pid = pidIn(place);
  if (pid === undefined || !isAlive(String(pid))) return undefined;
  const [, version = "", , ...folder] = readFileSync(place.pid, "utf8").split("\n");
  // A folder's name may contain line ends, and the note ends with one.
  const cwd = folder.slice(0, -1).join("\n");
  const status = await control(place, "status");
  // A number that another program has by now names no daemon.
  if (status === undefined && !looksLikeDaemon(pid)) return undefined;
  return { place, pid, cwd, version, ...(status !== undefined && { status }) };
}

/**
 * Ends a daemon: asked to, it finishes what it is asked about. One that does not answer may only be slow, so it is told by
 * a signal, and killed where it does not end.
 */
export async function endDaemon({ place, pid, status }: FoundDaemon): Promise<"ended" | "killed" | "still there"> {
  if (status !== undefined) await control(place, "stop");
  else if (!tell(pid, "SIGTERM")) return "still there";
  if (await hasEnded(pid)) return "ended";
  if (!tell(pid, "SIGKILL")) return "still there";
  return (await hasEnded(pid)) ? "killed" : "still there";
}

/** Sends a signal to a daemon; false where the process is none by its command line. */
function tell(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (!looksLikeDaemon(pid)) return !isAlive(String(pid));
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended in between.
    return true;
  }
}

async function control(place: DaemonPlace, event: "status" | "stop"): Promise<DaemonStatus | undefined> {
  const request = {
    host: CONTROL,
    event,
    origin: "",
    cwd: "/",
    deadlineMs: ASKED_MS,
    detach: true,
    env: {},
    input: new Uint8Array(),
  };
  try {
    const { stdout } = await askDaemon({ place, request, timeoutMs: ASKED_MS });
    const read = readJson(stdout);
    return read.ok ? (read.value as DaemonStatus) : undefined;
  } catch {
    return undefined;
  }
}

async function hasEnded(pid: number): Promise<boolean> {
  for (let waited = 0; waited < ENDING_MS; waited += STEP_MS) {
    if (!isAlive(String(pid))) return true;
    await wait(STEP_MS);
  }
  return false;
}

/** Whether a process is a daemon by its command line; where the system shows none, nothing is killed. */
function looksLikeDaemon(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0bridge\0daemon\0");
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
