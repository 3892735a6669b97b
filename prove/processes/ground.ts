import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Diagnostic } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";
import type { ProcessReport, ProcessTransport } from "@hookline/runtime/engine";
import {
  createProcessTransport,
  type ProcessTransportOptions,
} from "../../packages/runtime/src/transport/process/transport.ts";
import { clock } from "../../packages/runtime/test/process/clock.ts";
import { endTokens, fixturePath } from "../../packages/runtime/test/process/programs.ts";
import type { Path } from "./experiment.ts";

/** A process transport and its reports. */
export interface Ground extends AsyncDisposable {
  readonly transport: ProcessTransport;
  readonly diagnostics: Diagnostic[];
}

/** Makes a transport whose processes see only the PATH of this machine's environment. */
export function ground(path: Path, options: Partial<ProcessTransportOptions> = {}): Ground {
  const diagnostics: Diagnostic[] = [];
  const transport = createProcessTransport({
    protocol: dialects.flatMap(({ about }) => about?.variables ?? []),
    clock,
    path,
    env: { PATH: process.env["PATH"] },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  });
  return {
    transport,
    diagnostics,
    async [Symbol.asyncDispose]() {
      await transport.close();
      endTokens();
    },
  };
}

/** A folder that is removed at the end of the block. */
export interface Folder extends Disposable {
  readonly path: string;
}

export function folder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "hookline-prove-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A host in its own process, which prints the reports of its calls at the end. */
export interface Host {
  readonly child: ChildProcess;
  /** Resolves when the host has ended; the reports are absent if it was killed before printing them. */
  readonly ended: Promise<{ readonly code: number | null; readonly reports: readonly ProcessReport[] | undefined }>;
}

/** Starts a host with `options` for its program, under a wrapper such as `prlimit`. */
export function startHost(options: object, wrapper: readonly string[] = []): Host {
  const [file = "", ...args] = [...wrapper, process.execPath, fixturePath("host.ts"), JSON.stringify(options)];
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"] },
    cwd: "/",
  });
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  const ended = new Promise<Awaited<Host["ended"]>>((resolve) => {
    child.once("error", () => resolve({ code: null, reports: undefined }));
    child.once("close", (code) => {
      const last = output.trim().split("\n").at(-1) ?? "";
      resolve({ code, reports: last.startsWith("[") ? (JSON.parse(last) as ProcessReport[]) : undefined });
    });
  });
  return { child, ended };
}

/** Returns a run id that is unique on this machine. */
export function runId(name: string): string {
  return `prove-${process.pid}-${name}-${Math.random().toString(36).slice(2, 8)}`;
}

/** Whether a program can be started and succeeds. */
export function works(file: string, ...args: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: "ignore" }).status === 0;
}

/** Does the work for every item in order, at most `width` at a time. */
export async function each<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}

/** Returns the list repeated `times` times. */
export function repeat<T>(items: readonly T[], times: number): T[] {
  return Array.from({ length: times }, () => items).flat();
}
