import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";

/** The command line as it is built and published; `npm test` builds it first. */
export const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));

/** The result of a run of the command line. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder with a project and an empty home, both gone after the test. */
export class Workplace {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-test-"));
  readonly home = join(this.top, "home");
  readonly project = join(this.top, "project");

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.project);
  }

  /** Writes a file below the project, or below the home when the path begins with `~/`; `x` makes it executable. */
  write(path: string, text: string, mode?: "x"): string {
    const full = path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    if (mode === "x") chmodSync(full, 0o755);
    return full;
  }

  /** Runs the command line to its end. */
  run(
    args: readonly string[],
    options: {
      readonly env?: Readonly<Record<string, string>>;
      readonly stdin?: string;
      /** Another copy of the command line. */
      readonly program?: string;
    } = {},
  ): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [options.program ?? bin, ...args], {
        cwd: this.project,
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...CHILD_ENV, HOME: this.home, ...options.env },
      });
      let out = "";
      let err = "";
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, out, err }));
      child.stdin.on("error", () => {});
      child.stdin.end(options.stdin ?? "");
    });
  }

  /** Starts the command line; what it says can be waited for, and a signal sent. */
  start(args: readonly string[]) {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: this.project,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...CHILD_ENV, HOME: this.home },
    });
    let out = "";
    child.stdout.setEncoding("utf8");
    return {
      code: new Promise<number | null>((resolve) => child.on("close", resolve)),
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      says: (text: string) =>
        new Promise<void>((resolve) => {
          child.stdout.on("data", (chunk: string) => {
            out += chunk;
            if (out.includes(text)) resolve();
          });
        }),
    };
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}
