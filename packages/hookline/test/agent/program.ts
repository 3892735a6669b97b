import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { bin } from "../support/cli.ts";
import { type LoopbackScript, startLoopback } from "../support/loopback.ts";

/** The command line from the sources, with handlers of the library that a test has written into the home. */
const WITH_HANDLERS = [
  "--conditions=hookline-source",
  "--disable-warning=ExperimentalWarning",
  fileURLToPath(new URL("fixtures/cli.ts", import.meta.url)),
];

/** The result of a run of the command line. */
export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The built command line as a process of its own, before a provider on loopback. Gone after the test. */
export class Program {
  readonly project: string;
  readonly home: string;
  readonly child: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  #out = "";
  #err = "";
  readonly #waiting: (() => void)[] = [];

  constructor(top: string, program: readonly string[], args: readonly string[]) {
    this.project = join(top, "project");
    this.home = join(top, "home");
    this.child = spawn(process.execPath, [...program, "--model", "loop/model", ...args], {
      cwd: this.project,
      env: { ...CHILD_ENV, HOME: this.home },
    });
    const wake = (): void => {
      for (const one of this.#waiting.splice(0)) one();
    };
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#out += text;
      wake();
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text;
      wake();
    });
    this.child.stdin.on("error", () => {});
    this.finished = new Promise((resolve, reject) => {
      this.child.on("error", reject);
      this.child.on("close", (code) => {
        resolve({ code, out: this.#out, err: this.#err });
        wake();
      });
    });
  }

  /** Every whole line of JSON on stdout. */
  get lines(): any[] {
    return this.#out
      .split("\n")
      .slice(0, -1)
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  /** Resolves when what was written holds a text. */
  async saw(text: string): Promise<void> {
    while (!this.#out.includes(text) && !this.#err.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`It ended without "${text}":\n${this.#out}\n${this.#err}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Resolves with the first line of stdout that fits. */
  async line(fits: (line: any) => boolean): Promise<any> {
    for (;;) {
      const found = this.lines.find(fits);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`It ended:\n${this.#out}\n${this.#err}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  send(command: object): void {
    this.child.stdin.write(`${JSON.stringify(command)}\n`);
  }
}

/** Starts the command line; `replies` are the provider's. */
export async function startProgram(options: {
  readonly replies: LoopbackScript;
  readonly args: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Whether the project's hooks run. Default true. */
  readonly trust?: boolean;
  /** Closed at once when absent. */
  readonly stdin?: "open";
  /** Runs before the program does. */
  prepare?(project: string): void;
}): Promise<Program> {
  const top = mkdtempSync(join(tmpdir(), "hookline-program-"));
  const server = await startLoopback(options.replies);
  const write = (path: string, text: string): void => {
    const full = path.startsWith("~/") ? join(top, "home", path.slice(2)) : join(top, "project", path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  };
  mkdirSync(join(top, "project"));
  const provider = {
    baseUrl: `${server.url}/v1`,
    api: "openai-completions",
    apiKey: "none",
    models: [{ id: "model" }],
  };
  write("~/.hookline/models.json", JSON.stringify({ providers: { loop: provider } }));
  const { files = {} } = options;
  for (const [path, text] of Object.entries(files)) write(path, text);
  options.prepare?.(join(top, "project"));
  const { trust = true } = options;
  const program = new Program(top, "~/library-handlers.mjs" in files ? WITH_HANDLERS : [bin], [
    ...(trust ? ["--trust-project"] : []),
    ...options.args,
  ]);
  if (options.stdin !== "open") program.child.stdin.end();
  onTestFinished(async () => {
    program.child.kill("SIGKILL");
    await program.finished;
    await server.close();
    rmSync(top, { recursive: true, force: true });
  });
  return program;
}
