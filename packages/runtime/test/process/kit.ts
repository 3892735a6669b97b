import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import type { ProcessTransport } from "../../src/port/process.ts";
import { createProcessTransport, type ProcessTransportOptions } from "../../src/transport/process/transport.ts";
import { clock } from "./clock.ts";
import { endTokens, read } from "./programs.ts";

export { alarm } from "./clock.ts";
export { call, fixture, fixturePath, processesWith, read, token, until } from "./programs.ts";

// A test that fails leaves nothing behind either.
afterAll(endTokens);

/** Every way to start a process; each must keep the same promises. */
export const PATHS = ["spawn", "native"] as const;

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

/** Makes run ids that nobody else has on the machine. */
export function runIdOf(test: string): (name: string) => string {
  return (name) => `${test}-${process.pid}-${name}`;
}

/** The shells that a run has started to make its pipes, by the marker. */
export function pipeMakers(runId: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => read(`/proc/${name}/environ`).split("\0").includes(`HOOKLINE_RUN_ID=${runId}.pipes`))
    .map(Number);
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

/** A new folder, with its removal. */
export function folder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "hookline-process-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
