import { readFileSync } from "node:fs";
import { randomBytes } from "./random.ts";

/** A name that is unique to this process, even among later ones with the same pid, and to each of its claims. */
export function claimName(): string {
  return [process.pid, startOf(process.pid) ?? "", randomBytes(6).toString("hex")].join(".");
}

/**
 * Whether the process that gave itself this name still runs; one that has ended and that nobody collects does not. Of a
 * bare pid, whether any process has it.
 */
export function isAlive(name: string): boolean {
  const [text = "", started = ""] = name.split(".");
  const pid = Number(text);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const start = startOf(pid);
  if (start !== undefined) return started === "" || start === started;
  // Without /proc, only the pid can tell.
  if (startOf(process.pid) !== undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a living process started, in clock ticks since boot. */
function startOf(pid: number): string | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The second field is the program's name in brackets, which may itself contain brackets and blanks.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : fields[19];
}
