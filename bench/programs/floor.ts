import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Asked, startAsked } from "./asked.ts";

const source = join(import.meta.dirname, "spawn-floor.c");
const cache = join(import.meta.dirname, "../../.cache/bench");

/** Starts a C program that measures the cost of a shell hook; `undefined` without a C compiler. */
export function startFloor(command: string, payload: string): Asked | undefined {
  const program = join(cache, "spawn-floor");
  if (!existsSync(program) || statSync(program).mtimeMs < statSync(source).mtimeMs) {
    mkdirSync(cache, { recursive: true });
    const cc = spawnSync("cc", ["-O2", "-Wall", "-o", program, source], { encoding: "utf8" });
    if (cc.error !== undefined) return undefined;
    if (cc.status !== 0) throw new Error(`${source} does not compile: ${cc.stderr}`);
  }
  return startAsked(program, [command, payload]);
}
