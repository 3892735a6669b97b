import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Measured } from "../case.ts";

/** A program with a screen, and how to run it. */
export interface Screened {
  /** The program's file for Node, and its arguments. */
  readonly argv: readonly string[];
  /** A text that the program shows when it accepts keys. */
  readonly ready: string;
  /** Files of the program's home folder, by path; `PORT` stands for the model's endpoint. */
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A program on a pseudo-terminal, with an endpoint for its model. */
export class ScreenDriver {
  readonly #top = mkdtempSync(join(tmpdir(), "hookline-screen-"));
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(program: Screened, port: number) {
    const home = join(this.#top, "home");
    const cwd = join(this.#top, "project");
    for (const folder of [home, cwd]) mkdirSync(folder);
    for (const [path, text] of Object.entries(program.files)) {
      const full = join(home, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text.replaceAll("PORT", String(port)));
    }
    const env = { PATH: process.env["PATH"], HOME: home, TERM: "xterm-256color", ...program.env };
    const setup = { argv: [process.execPath, ...program.argv], env, cwd, port, ready: program.ready };
    const file = join(this.#top, "setup.json");
    writeFileSync(file, JSON.stringify(setup));
    const script = join(import.meta.dirname, "screen-latency.py");
    this.#child = spawn("python3", [script, file], { stdio: ["pipe", "pipe", "inherit"] });
    const output = this.#child.stdout;
    if (output === null) throw new Error("The driver has no output");
    this.#lines = createInterface({ input: output })[Symbol.asyncIterator]();
  }

  /** Starts a program, and waits until it accepts keys. */
  static async open(program: Screened): Promise<ScreenDriver> {
    const driver = new ScreenDriver(program, await freePort());
    if ((await driver.#line()) !== "ready") throw new Error(`${program.argv[0]} did not start on a terminal`);
    return driver;
  }

  /**
   * Measures how long key presses, or pieces of a reply (with `long`, after 40 KB of it), take to appear on the screen;
   * or counts wake-ups in this many idle seconds.
   */
  measure(what: "keys" | "tokens" | "long" | "idle"): Measured {
    return async (n) => {
      this.#child.stdin?.write(`${what} ${n}\n`);
      const answer = await this.#line();
      if (answer === undefined) throw new Error("The program on the terminal could not be measured");
      return Number(answer);
    };
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.#child.once("close", done));
    this.#child.stdin?.end();
    await ended;
    rmSync(this.#top, { recursive: true, force: true, maxRetries: 3 });
  }

  async #line(): Promise<string | undefined> {
    return (await this.#lines.next()).value as string | undefined;
  }
}

/** Returns a port that is currently free. */
function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => found(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
