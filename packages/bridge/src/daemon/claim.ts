import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { VERSION } from "@hookline/ground";
import { isAlive } from "@hookline/ground/system";
import { connects, identityOf } from "../client/client.ts";
import type { DaemonPlace } from "../client/place.ts";

/** How long after writing its claim a daemon may take to listen, in ms. Then another daemon may remove the claim. */
const STARTING_MS = 5000;
const STEP_MS = 50;

/**
 * Returns the claim that a daemon writes to its `pid` file. It has the process id, hookline's version, start time and
 * identity of the process, and the folder that it serves.
 */
export function claimOf(cwd: string, sinceMs: number): string {
  return `${process.pid}\n${VERSION}\n${sinceMs} ${ownIdentity()}\n${cwd}\n`;
}

/** Returns the identity of this process; empty if the system hides it, and then no client kills this daemon. */
function ownIdentity(): string {
  try {
    return identityOf(String(process.pid));
  } catch {
    return "";
  }
}

/** Makes this process the daemon that owns these files; false if another is. Removes what a dead daemon has left. */
export async function claim(place: DaemonPlace, about: string): Promise<boolean> {
  for (;;) {
    try {
      const fd = openSync(place.pid, "wx", 0o600);
      try {
        writeSync(fd, about);
      } finally {
        closeSync(fd);
      }
      rmSync(place.socket, { force: true });
      return true;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
    if (await connects(place.socket)) return false;
    if (mayStart(place)) await wait(STEP_MS);
    else rmSync(place.pid, { force: true });
  }
}

/** Returns the process id in a daemon's claim. */
export function pidIn({ pid: file }: Pick<DaemonPlace, "pid">): number | undefined {
  try {
    const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Whether another process has just written its claim, and may listen soon. */
function mayStart(place: DaemonPlace): boolean {
  const pid = pidIn(place);
  const age = Date.now() - (statSync(place.pid, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  // A daemon creates the file before it writes its id. The age is negative if the clock was set back in between.
  return Math.abs(age) < STARTING_MS && (pid === undefined || isAlive(String(pid)));
}
