import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** How long a command's full output is kept, in days. */
export const OUTPUT_DAYS = 7;

const DAY_MS = 86_400_000;
const NAME = /^hookline-bash-[0-9a-f]{16}\.log$/;

/** Creates a private file for the output of one command, in a folder that is created if necessary. */
export function openOutputFile(folder: string): { readonly path: string; readonly descriptor: number } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `hookline-bash-${randomBytes(8).toString("hex")}.log`);
  return { path, descriptor: openSync(path, "wx", 0o600) };
}

/** Removes the output files that a result names, in its text or as the path in its details. */
export function dropOutput(text: string, path: unknown): void {
  const named = [...text.matchAll(/Full output: (.+?\.log)/g)].map(([, found]) => found);
  for (const file of [path, ...named])
    if (typeof file === "string" && NAME.test(basename(file))) rmSync(file, { force: true });
}

/** Returns the folder for a run's outputs. A run without a stored session gets one that is removed at its end. */
export function outputFolder(hooklineHome: string, isKept: boolean): string {
  const all = join(hooklineHome, "outputs");
  return isKept ? all : join(all, `run-${process.pid}-${randomBytes(4).toString("hex")}`);
}

/**
 * Removes the outputs of a run without a stored session, and all outputs older than a week. Is called at a run's end.
 */
export function dropOutputs(hooklineHome: string, folder: string, now: number = Date.now()): void {
  const all = join(hooklineHome, "outputs");
  if (folder !== all) rmSync(folder, { recursive: true, force: true });
  for (const name of namesIn(all)) {
    const path = join(all, name);
    // A killed run leaves its folder behind, so old folders are removed here, too.
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
