import type { ProcessTransport } from "@hookline/runtime/engine";
import { createHookRuntime } from "@hookline/runtime/session";
import { type Asker, fetchEnvironment } from "./environment.ts";

const MINUTES_MS = 60_000;

/** Runs npm and git with the person's own settings only, in folders without anything from a project. */
export class Programs {
  readonly #processes: ProcessTransport;
  readonly close: () => Promise<void>;

  constructor(asker: Asker, hooklineHome: string) {
    // A native library starts processes faster, but its loading takes longer than it saves for a few programs.
    const runtime = createHookRuntime({
      env: fetchEnvironment(asker),
      home: asker.home,
      hooklineHome,
      nativeSpawn: false,
    });
    this.#processes = runtime.processes;
    this.close = () => runtime.close();
  }

  /** Runs a program and returns its output. Rejects with its error output if it fails. */
  async run(
    [file, ...args]: readonly [string, ...string[]],
    cwd: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const report = await this.#processes.run({
      command: { file, args },
      cwd,
      tier: "user",
      env,
      timeoutMs: 10 * MINUTES_MS,
      label: file,
    });
    if (report.startError !== undefined) throw new Error(`${file} could not be started: ${report.startError.message}`);
    if (report.status === "timed-out") throw new Error(`${file} took longer than 10 minutes`);
    if (report.exitCode !== 0)
      throw new Error(report.stderr.trim().slice(0, 2000) || `${file} ended with ${report.exitCode}`);
    return report.stdout;
  }
}
