import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { formatSize } from "@hookline/ground";
import { exitCode } from "@hookline/ground/system";
import type { ProcessReport, ProcessTransport } from "@hookline/runtime/engine";
import { createCharacterGate } from "./characters.ts";
import { MAX_OUTPUT_BYTES } from "./output.ts";

/** The longest timeout, in ms: Node's timers allow no longer one. It also limits commands without a timeout. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/**
 * Runs one command for bash. Rejects with the message `aborted` after an abort and `timeout:<seconds>` after a timeout.
 * Source: spec/pi.md 4, `BashOperations`.
 */
export interface BashOperations {
  exec(command: string, cwd: string, options: BashExecOptions): Promise<{ exitCode: number | null }>;
}

/** Receives the output of one command, and limits its time. */
export interface BashExecOptions {
  /** Receives stdout and stderr in arrival order. */
  readonly onData: (data: Buffer) => void;
  readonly signal?: AbortSignal | undefined;
  /** Time limit in seconds. */
  readonly timeout?: number | undefined;
  /** The environment of the command. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** The transport and the shell that run commands on this machine. */
export interface LocalBashOptions {
  readonly processes: ProcessTransport;
  /** The path of a shell that accepts `-c`. Default: `sh`. */
  readonly shellPath?: string | undefined;
}

/** Returns the path of bash if it is installed. Otherwise undefined, and the transport uses `sh`. */
export function commandShell(): string | undefined {
  return existsSync("/bin/bash") ? "/bin/bash" : undefined;
}

/** Makes the operations that run commands on this machine, each in its own process group. */
export function createLocalBashOperations({ processes, shellPath }: LocalBashOptions): BashOperations {
  return {
    async exec(command, cwd, { onData, signal, timeout, env }) {
      const timeoutMs = timeoutOf(timeout);
      await access(cwd).catch(() => {
        throw new Error(`Working directory does not exist: ${cwd}\nCannot execute bash commands.`);
      });
      if (signal?.aborted) throw new Error("aborted");
      const gates = { stdout: createCharacterGate(), stderr: createCharacterGate() };
      const report = await processes.run({
        command: shellPath === undefined ? { shell: command } : { file: shellPath, args: ["-c", command] },
        cwd,
        tier: "user",
        env: changesOf(env),
        timeoutMs,
        ...(signal ? { signal } : {}),
        maxStdoutBytes: MAX_OUTPUT_BYTES,
        keepsStdout: false,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        onData: (chunk, stream) => onData(gates[stream].pass(chunk)),
        label: "bash",
      });
      for (const gate of [gates.stdout, gates.stderr]) onData(gate.rest());
      return { exitCode: exitCodeOf(report, timeout) };
    },
  };
}

function timeoutOf(seconds: number | undefined): number {
  if (seconds === undefined) return MAX_TIMEOUT_MS;
  if (!Number.isFinite(seconds) || seconds <= 0) throw new Error("Invalid timeout: must be a finite number of seconds");
  if (seconds * 1000 > MAX_TIMEOUT_MS) throw new Error(`Invalid timeout: maximum is ${MAX_TIMEOUT_MS / 1000} seconds`);
  return Math.ceil(seconds * 1000);
}

/**
 * Returns the variables that differ from this process's environment. The transport adds them to a base environment
 * without the API keys of model providers.
 */
function changesOf(env: NodeJS.ProcessEnv | undefined): Record<string, string> {
  const changes: Record<string, string> = {};
  for (const [name, value] of Object.entries(env ?? {})) {
    if (value !== undefined && value !== process.env[name]) changes[name] = value;
  }
  return changes;
}

/** Returns the exit code of a finished command. Throws the reason if it did not finish. */
export function exitCodeOf(report: ProcessReport, timeout?: number): number | null {
  switch (report.status) {
    case "exited":
    case "signalled":
      return exitCode(report) ?? null;
    case "aborted":
      throw new Error("aborted");
    case "timed-out":
      throw new Error(`timeout:${timeout}`);
    case "over-limit":
      throw new Error(
        `Command ended: it wrote more than ${formatSize(MAX_OUTPUT_BYTES)}. Redirect its output to a file.`,
      );
    case "not-started":
      throw new Error(`Command could not be started: ${report.startError?.message ?? "no reason given"}`);
  }
}
