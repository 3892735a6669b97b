import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installedBin } from "./installed.ts";

/** An empty home and project, in which the command line as users have it is run. */
export class Place {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  readonly home = join(this.top, "home");
  readonly project = join(this.top, "project");
  readonly #bin: string;

  constructor(bin: string) {
    this.#bin = bin;
    mkdirSync(this.home);
    mkdirSync(join(this.project, ".git"), { recursive: true });
  }

  static async open(): Promise<Place> {
    return new Place(await installedBin());
  }

  /** Writes a file of the home (`~/`) or of the project. */
  write(path: string, text: string): void {
    const full = path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }

  /** Writes a model's replies: this many calls that read a small file, then the end. */
  script(path: string, calls: number, name = "read"): void {
    this.write("small.txt", "a small file\n");
    const call = { toolCalls: [{ name, arguments: name === "read" ? { path: "small.txt" } : {} }] };
    this.write(path, JSON.stringify({ replies: [...Array(calls).fill(call), { text: "done", repeat: true }] }));
  }

  /** Runs a command to its end, some times; returns the ms of the quickest run. Throws if it fails. */
  run(args: readonly string[], { times = 2, env = {} }: { times?: number; env?: Record<string, string> } = {}): number {
    const runs = Array.from({ length: times }, () => {
      const started = performance.now();
      const { status, stderr } = spawnSync(process.execPath, [this.#bin, ...args], {
        cwd: this.project,
        env: { HOME: this.home, PATH: process.env["PATH"], ...env },
        stdio: ["ignore", "ignore", "pipe"],
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`hookline ${args.join(" ")} ended with ${status}: ${stderr}`);
      return performance.now() - started;
    });
    return Math.min(...runs);
  }

  /** The folder of the project's sessions, and the lines of the only one that is in it. */
  session(): { readonly folder: string; readonly name: string; readonly lines: readonly string[] } {
    const sessions = join(this.home, ".hookline/sessions");
    const folder = join(sessions, readdirSync(sessions)[0] as string);
    const name = readdirSync(folder).find((one) => one.endsWith(".jsonl")) as string;
    return { folder, name, lines: readFileSync(join(folder, name), "utf8").trimEnd().split("\n") };
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}
