import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readJson } from "@hookline/ground";
import { isAlive } from "@hookline/ground/system";
import { askDaemon, CONTROL } from "../client/client.ts";
import { type DaemonPlace, daemonPlace, placeIn, runFolder } from "../client/place.ts";
import { pidIn } from "./claim.ts";
import type { DaemonStatus } from "./serve.ts";

/** A daemon that was found by its claim. */
export interface FoundDaemon {
  readonly place: DaemonPlace;
  readonly pid: number;
  readonly cwd: string;
  readonly version: string;
  /** The daemon's status; absent if it does not answer. */
  readonly status?: DaemonStatus;
}

/** Time limits of a daemon, in ms: `ASKED_MS` to report its status, and `ENDING_MS` to end. */
const ASKED_MS = 2000;
const ENDING_MS = 10_000;
const STEP_MS = 50;

/** Returns the live daemons of a run folder, as `bridge status` shows them. */
export async function daemonsIn(folder: string): Promise<FoundDaemon[]> {
  const names = namesIn(folder).flatMap((name) => /^([0-9a-f]{16})\.pid$/.exec(name)?.[1] ?? []);
  const found = await Promise.all(names.map((name) => daemonAt(placeIn(folder, name))));
  return found.filter((one) => one !== undefined);
}

/**
 * Returns the daemons of a home. Searches the run folders with and without `XDG_RUNTIME_DIR`, since a host may have
 * started a daemon without it. A daemon's files are named by a hash of its home and folder, which tells homes apart.
 */
export async function daemonsOfHome(hooklineHome: string, env: Readonly<Record<string, string | undefined>>) {
  const folders = new Set([runFolder(hooklineHome, env), runFolder(hooklineHome, {})]);
  const found = await Promise.all([...folders].map(daemonsIn));
  return found
    .flat()
    .filter(({ place, cwd }) => basename(place.socket) === basename(daemonPlace(hooklineHome, cwd, env).socket));
}

/** Returns the daemon that owns these files if it is alive. */
export async function daemonAt(place: DaemonPlace): Promise<FoundDaemon | undefined> {
  const pid = pidIn(place);
  if (pid === undefined || !isAlive(String(pid))) return undefined;
  const [, version = "", , ...folder] = readFileSync(place.pid, "utf8").split("\n");
  // The claim ends with the folder and a line break; the folder's name may contain line breaks too.
  const cwd = folder.slice(0, -1).join("\n");
  const status = await control(place, "status");
  // The process id may by now belong to another program.
  if (status === undefined && !looksLikeDaemon(pid)) return undefined;
  return { place, pid, cwd, version, ...(status !== undefined && { status }) };
}

/**
 * Ends a daemon. It is asked to end, and first finishes its calls. A daemon that does not answer may only be slow, so
 * it gets a signal, and is killed if it goes on.
 */
export async function endDaemon({ place, pid, status }: FoundDaemon): Promise<"ended" | "killed" | "still there"> {
  if (status !== undefined) await control(place, "stop");
  else if (!tell(pid, "SIGTERM")) return "still there";
  if (await hasEnded(pid)) return "ended";
  if (!tell(pid, "SIGKILL")) return "still there";
  return (await hasEnded(pid)) ? "killed" : "still there";
}

/** Sends a signal to a daemon; false if its command line is not that of a daemon. */
function tell(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (!looksLikeDaemon(pid)) return !isAlive(String(pid));
  try {
    return process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
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

/**
 * Whether a process is a daemon, by its command line; false if the system does not show it. Only daemons may be killed.
 */
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
