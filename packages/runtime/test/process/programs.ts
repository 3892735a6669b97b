import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ProcessCall, ProcessCommand } from "../../src/port/process.ts";

const tokens: string[] = [];

/** A text that stands in the arguments of one trial's processes and nowhere else; `sleep` takes it for a time. */
export function token(): string {
  const text = `0.${process.pid}${Date.now()}${tokens.length}`;
  tokens.push(text);
  return text;
}

/** Ends every process that carries a token, for trials that failed to. */
export function endTokens(): void {
  for (const pid of tokens.flatMap(processesWith)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended since it was listed.
    }
  }
}

/** A call with everything but what a trial is about. */
export function call(command: ProcessCommand | string, rest: Partial<ProcessCall> = {}): ProcessCall {
  return {
    command: typeof command === "string" ? { shell: command } : command,
    cwd: "/",
    tier: "user",
    env: {},
    timeoutMs: 20_000,
    label: "test",
    ...rest,
  };
}

/** The command that runs a fixture program. */
export function fixture(name: string, ...args: readonly string[]): ProcessCommand {
  return { file: "sh", args: [fixturePath(name), ...args] };
}

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
}

/** The processes whose arguments hold the token; those that only wait to be collected have none. */
export function processesWith(token: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => read(`/proc/${name}/cmdline`).includes(token))
    .map(Number);
}

/** Waits until the condition holds; whoever never gets there fails by a time limit of their own. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(10);
}

export function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
