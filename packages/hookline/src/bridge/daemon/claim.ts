import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { connects } from "../connect.ts";
import type { DaemonPlace } from "../place.ts";

/** How long a daemon that was started may take until it listens, in ms. */
const STARTING_MS = 5000;
const STEP_MS = 50;

/** Makes this process the daemon of a place; false where another one is. What a dead one has left is removed. */
export async function claim(place: DaemonPlace, about: string): Promise<boolean> {
  for (const begun = Date.now(); ; ) {
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
    const pid = pidIn(place);
    if (pid !== undefined && isAlive(pid) && Date.now() - begun < STARTING_MS) await wait(STEP_MS);
    else rmSync(place.pid, { force: true });
  }
}

/** The process that says it is the daemon of a place. */
export function pidIn({ pid: file }: Pick<DaemonPlace, "pid">): number | undefined {
  try {
    const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
