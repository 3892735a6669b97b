import { dirname, join } from "node:path";
import { Place } from "../../../bridge/test/support/place.ts";
import { run } from "../../src/cli/run.ts";

/** A person with an empty home and a project, who runs subcommands in this process. */
export class Desk extends Place {
  /** Further variables. */
  env: Readonly<Record<string, string>> = {};
  /** The person's answers, question by question; `undefined` if there is no terminal. */
  answers: string[] | undefined;
  readonly asked: string[] = [];

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
}
