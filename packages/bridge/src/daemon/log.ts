import { appendFileSync, statSync, truncateSync } from "node:fs";

/** Largest log in bytes; a larger one is emptied when a daemon starts. */
const MOST_BYTES = 1024 * 1024;

/** Opens a log for lines; errors in writing it are ignored. */
export function openLog(path: string): (line: string) => void {
  attempt(() => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) truncateSync(path);
  });
  let written = 0;
  return (line) => {
    if (written > MOST_BYTES) return;
    const text = `${new Date().toISOString()} ${line}\n`;
    written += text.length;
    attempt(() => appendFileSync(path, text, { mode: 0o600 }));
  };
}

function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // A full disk must not keep a guard from being asked.
  }
}
