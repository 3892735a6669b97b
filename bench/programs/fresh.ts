import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Measured } from "../case.ts";

/** Measures a program of this folder that does its work once in its own process and prints the nanoseconds. */
export function fresh(program: string, ...args: readonly string[]): Measured {
  const path = join(import.meta.dirname, program);
  return async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=hookline-source", path, ...args]);
    return Number(stdout);
  };
}
