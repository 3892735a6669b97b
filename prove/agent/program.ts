import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStale } from "../../scripts/stale.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(root, "packages/hookline/bin/hookline.js");
let built = false;

/**
 * Returns the path of the built command line, which must be up to date. It is not built here: that would remove it
 * while other experiments run it.
 */
export function builtProgram(): string {
  if (!built && isStale()) {
    const args = ["--conditions=hookline-source", join(root, "scripts/build.ts"), "--no-types"];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`The packages could not be built: ${stderr}`);
  }
  built = true;
  return bin;
}

/** A project and a home folder for runs of the agent; removed at the end of the block. */
export class Place implements Disposable {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-prove-"));
  readonly home = join(this.top, "home");
  readonly hookline = join(this.home, ".hookline");
  readonly project = join(this.top, "project");

  constructor() {
    for (const folder of [this.home, this.project]) mkdirSync(folder);
  }

  /** Resolves a path in the project, or in the home folder if it starts with `~/`. */
  path(path: string): string {
    return path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.project, path);
  }

  write(path: string, text: string, mode = 0o644): string {
    const full = this.path(path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    chmodSync(full, mode);
    return full;
  }

  /** Defines a model `loop/model` at a URL. */
  provider(url: string): void {
    const provider = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "none", models: [{ id: "model" }] };
    this.write("~/.hookline/models.json", JSON.stringify({ providers: { loop: provider } }), 0o600);
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** Options for a run of the agent. */
export interface RunOptions {
  /** A program to run the agent under, such as `strace` with its arguments. */
  readonly wrapper?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Called after each chunk of output, with all of stdout and stderr so far. */
  watch?(child: ChildProcess, out: string, err: string): void;
}

/** The result of a run. */
export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
  readonly ms: number;
}

/** Runs the built agent in a place, to its end. */
export function runAgent(place: Place, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { wrapper = [], env, stdin, watch } = options;
  const [file = "", ...rest] = [...wrapper, process.execPath, builtProgram(), ...args];
  const began = performance.now();
  const child = spawn(file, rest, {
    cwd: place.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: place.home, ...env },
    stdio: "pipe",
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    watch?.(child, out, err);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    watch?.(child, out, err);
  });
  child.stdin.on("error", () => {});
  child.stdin.end(stdin ?? "");
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, out, err, ms: performance.now() - began }));
  });
}
