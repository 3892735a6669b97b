import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** How long the whole output of a command is kept after it was written, in days. */
export const OUTPUT_DAYS = 7;

const DAY_MS = 86_400_000;
const NAME = /^hookline-bash-[0-9a-f]{16}\.log$/;

/** A private file for the output of one command. Its folder is made where it is missing, for its owner alone. */
export function openOutputFile(folder: string): { readonly path: string; readonly descriptor: number } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `hookline-bash-${randomBytes(8).toString("hex")}.log`);
  return { path, descriptor: openSync(path, "wx", 0o600) };
}

/** Where the outputs of a run are kept. Those of a run that keeps no session get a folder that ends with it. */
export function outputFolder(hooklineHome: string, isKept: boolean): string {
  const all = join(hooklineHome, "outputs");
  return isKept ? all : join(all, `run-${process.pid}-${randomBytes(4).toString("hex")}`);
}

/** At the end of a run: removes the outputs that no session may ask for any more, and those that are older than a week. */
export function dropOutputs(hooklineHome: string, folder: string, now: number = Date.now()): void {
  const all = join(hooklineHome, "outputs");
  if (folder !== all) rmSync(folder, { recursive: true, force: true });
  for (const name of namesIn(all)) {
    const path = join(all, name);
    // A run that was ended from outside leaves its folder behind.
    if (!NAME.test(name) && !name.startsWith("run-")) continue;
    if (now - writtenAt(path) > OUTPUT_DAYS * DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function writtenAt(path: string): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
