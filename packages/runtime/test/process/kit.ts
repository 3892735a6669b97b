import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Diagnostic } from "../../src/error/diagnostic.ts";
import type { ProcessCall, ProcessCommand, ProcessTransport } from "../../src/port/process.ts";
import { createProcessTransport, type ProcessTransportOptions } from "../../src/transport/process/transport.ts";
import { clock } from "./clock.ts";

const tokens: string[] = [];

// A test that fails leaves nothing behind either.
afterAll(() => {
  for (const pid of tokens.flatMap(processesWith)) process.kill(pid, "SIGKILL");
});

/** A text that stands in the arguments of one test's processes and nowhere else; `sleep` takes it for a time. */
export function token(): string {
  const text = `0.${process.pid}${Date.now()}${tokens.length}`;
  tokens.push(text);
  return text;
}

/** Closed at the end of the block that it is declared in, with `await using`. */
export interface Bench extends AsyncDisposable {
  readonly transport: ProcessTransport;
  readonly diagnostics: Diagnostic[];
}

/** A transport of its own, with nothing of this machine's environment but the path. */
export function bench(options: Partial<ProcessTransportOptions> = {}): Bench {
  const diagnostics: Diagnostic[] = [];
  const transport = createProcessTransport({
    clock,
    env: { PATH: process.env["PATH"] },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  });
  return { transport, diagnostics, [Symbol.asyncDispose]: () => transport.close() };
}

/** A call with everything but what a test is about. */
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

/** Runs `body` as soon as the process has said `started`. */
export function onStarted(body: () => void): (chunk: Uint8Array) => void {
  let seen = "";
  let done = false;
  return (chunk) => {
    seen += Buffer.from(chunk).toString("latin1");
    if (done || !seen.includes("started")) return;
    done = true;
    body();
  };
}

/** The processes whose arguments hold the token; those that only wait to be collected have none. */
export function processesWith(token: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => read(`/proc/${name}/cmdline`).includes(token))
    .map(Number);
}

/** Waits until the condition holds; a test that never gets there fails by its own time limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(10);
}

/** A new folder, with its removal. */
export function folder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "hookline-process-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
