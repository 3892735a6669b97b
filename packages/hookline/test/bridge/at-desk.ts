import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../src/cli/run.ts";

/** A person with an empty home and a project, who runs subcommands in this process. */
export class Desk implements Disposable {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-desk-"));
  readonly home = join(this.top, "home");
  /** The folder in which the person stands. */
  project = join(this.top, "project");
  /** Further variables. */
  env: Readonly<Record<string, string>> = {};
  /** What the person answers, question by question; nothing where there is no terminal. */
  answers: string[] | undefined;
  readonly asked: string[] = [];

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.project);
  }

  /** Writes a file below the home (`~/`) or the project; gives its path. */
  write(path: string, text: string | Buffer): string {
    const full = this.at(path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  read(path: string): string | undefined {
    return existsSync(this.at(path)) ? readFileSync(this.at(path), "utf8") : undefined;
  }

  at(path: string): string {
    return path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.project, path);
  }

  run(...args: readonly string[]): ReturnType<Desk["say"]> {
    return this.say("", ...args);
  }

  /** The same with something on stdin. */
  async say(
    input: string,
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    let [out, err] = ["", ""];
    const { answers } = this;
    const code = await run(args, {
      // No program of another agent is on this path, unless a test puts it there.
      env: {
        PATH: `${join(this.top, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: this.home,
        HOOKLINE_HOME: join(this.home, ".hookline"),
        ...this.env,
      },
      cwd: this.project,
      stdinIsTerminal: answers !== undefined,
      stdoutIsTerminal: answers !== undefined,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      input: (async function* () {
        yield Buffer.from(input);
      })(),
      readStdin: async () => input,
      ask: async (question) => {
        this.asked.push(question);
        return answers?.shift() ?? "";
      },
    });
    return { code, out, err };
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true, maxRetries: 3 });
  }
}
