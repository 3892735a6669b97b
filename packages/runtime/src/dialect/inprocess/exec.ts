import { resolve } from "node:path";
import { MAX_MS } from "../../port/clock.ts";
import type { ExecOptions, ExecResult } from "../../port/host.ts";
import type { ProcessReport } from "../../port/process.ts";
import { alive } from "../ui.ts";
import type { Owner } from "./owner.ts";

/**
 * Runs a program for a module, without a shell, by the host's own way or as a child process.
 * Never rejects for what the program does; ended with the instance, by its signal and by its timeout.
 */
export async function exec(
  { around, instance, name }: Owner,
  command: string,
  args: readonly string[] = [],
  options: ExecOptions = {},
): Promise<ExecResult> {
  if (!alive(instance, `${name}.exec`)) return { stdout: "", stderr: "", code: 1, killed: false };
  const signal = options.signal === undefined ? instance.signal : AbortSignal.any([options.signal, instance.signal]);
  const cwd = resolve(around.scene.cwd, options.cwd ?? ".");
  if (around.services.exec !== undefined) return around.services.exec(command, args, { ...options, cwd, signal });
  const report = await around.transports.process.run({
    command: { file: command, args },
    cwd,
    tier: instance.source.tier,
    env: {},
    timeoutMs: options.timeout !== undefined && options.timeout > 0 ? Math.min(options.timeout, MAX_MS) : MAX_MS,
    signal,
    label: `${command} of ${instance.source.path}`,
  });
  return resultOf(report);
}

const ended: ReadonlySet<ProcessReport["status"]> = new Set(["timed-out", "aborted", "over-limit"]);

/** A program that was ended has code 0 and says `killed`; one that could not start, or died by itself, has code 1. */
function resultOf(report: ProcessReport): ExecResult {
  const killed = ended.has(report.status);
  const reason = report.startError?.message ?? (report.status === "over-limit" ? "its output was too large" : "");
  return {
    stdout: report.stdout,
    stderr: report.stderr === "" ? reason : report.stderr,
    code: killed ? 0 : (report.exitCode ?? 1),
    killed,
  };
}
