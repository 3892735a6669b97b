import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { root } from "../../../../scripts/step.ts";
import { Workplace } from "../../../hookline/test/support/cli.ts";

const bin = join(root, "packages/hookline/bin/hookline.js");

/** The output of `hookline inspect --json`. */
export interface Served {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  close(): Promise<void>;
}

/** A project with hooks of four dialects, and recordings of what they did. */
export class Recorded extends Workplace {
  readonly #running = new Set<ChildProcess>();

  constructor() {
    super();
    cpSync(join(root, "examples/demo"), this.project, { recursive: true });
  }

  /** Runs the demo with everything recorded. Gives the recording's file. */
  async record(prompt = "Fix add() in src/sum.js"): Promise<string> {
    const before = this.recordings();
    const { code, err } = await this.run(["--trust-project", "--record=all", "--script", "script.yaml", "-p", prompt]);
    const file = this.recordings().find((path) => !before.includes(path));
    if (code !== 0 || file === undefined) throw new Error(`Nothing was recorded: ${err}`);
    return file;
  }

  /** The recordings that there are. */
  recordings(): readonly string[] {
    const folder = join(this.home, ".hookline/recordings");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  }

  /** Writes lines as a file of the project. */
  file(name: string, lines: readonly object[]): string {
    const path = join(this.project, name);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return path;
  }

  /** Starts the command line; what it prints is thrown away. */
  background(args: readonly string[]): ChildProcess {
    return this.#spawn(args, "ignore");
  }

  /** Starts the inspector; of an object, these variables are in its environment. */
  async inspect(...given: readonly (string | NodeJS.ProcessEnv)[]): Promise<Served> {
    const args = given.filter((one) => typeof one === "string");
    const env = Object.assign({}, ...given.filter((one) => typeof one !== "string"));
    const child = this.#spawn(["inspect", "--json", "--no-open", ...args], "pipe", env);
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const told = JSON.parse(line) as Omit<Served, "close">;
      return {
        ...told,
        async close() {
          child.kill("SIGINT");
          await ended;
        },
      };
    }
    throw new Error(`The inspector has not started: ${said}`);
  }

  override remove(): void {
    for (const child of this.#running) child.kill("SIGKILL");
    super.remove();
  }

  #spawn(args: readonly string[], out: "pipe" | "ignore", env: NodeJS.ProcessEnv = {}): ChildProcess {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: this.project,
      stdio: ["ignore", out, out],
      env: { ...CHILD_ENV, HOME: this.home, ...env },
    });
    this.#running.add(child);
    child.once("close", () => this.#running.delete(child));
    return child;
  }
}
