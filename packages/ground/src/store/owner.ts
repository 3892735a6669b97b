import { readFileSync } from "node:fs";
import { randomBytes } from "./random.ts";

/** Returns a name for a claim to a lock. It is unique, even among later processes with the same pid. */
export function claimName(): string {
  return [process.pid, startOf(process.pid) ?? "", randomBytes(6).toString("hex")].join(".");
}

/**
 * Whether the process for which `claimName` made a name is still running; a zombie is not. A name may also be only a
 * pid: then any process with that pid counts.
 */
export function isAlive(name: string): boolean {
  const [text = "", started = ""] = name.split(".");
  const pid = Number(text);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const start = startOf(pid);
  if (start !== undefined) return started === "" || start === started;
  // With `/proc`, a process without a start time has ended; without it, only the pid can be checked.
  if (startOf(process.pid) !== undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns when a running process started, in clock ticks since boot. */
function startOf(pid: number): string | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The second field is the program's name in brackets, which may itself contain brackets and spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : fields[19];
}
