import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ALL, type Experiment } from "./experiment.ts";
import { folder, works } from "./ground.ts";

/** Commands by which a hook may try to use the agent's terminal. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  "alternate screen": "printf '\\033[?1049hCANARY' > /dev/tty",
  title: "printf '\\033]0;CANARY\\007' > /dev/tty",
  "raw mode": "stty raw < /dev/tty",
  "no echo": "stty -echo < /dev/tty",
  "its own stdin": "stty raw -echo",
  "read a line": "read -r line < /dev/tty",
};

/** R16: hooks run without a controlling terminal, even if the host has one. */
export const terminal: Experiment = {
  id: "R16",
  paths: ALL,
  async run(tally, { path, full }) {
    if (!works("script", "-qec", "true", "/dev/null")) {
      tally.skip("script is not installed, or there are no pseudo-terminals");
      return;
    }
    const program = fileURLToPath(new URL("./terminal-host.ts", import.meta.url));
    for (let round = 0; round < (full ? 10 : 1); round++) {
      using home = folder();
      const [before, after, result] = ["before", "after", "result"].map((name) => join(home.path, name));
      const options = JSON.stringify({ path, result, commands: Object.values(ATTEMPTS) }).replaceAll("'", "'\\''");
      const session = `stty -g > ${before}; ${process.execPath} ${program} '${options}'; stty -g > ${after}`;
      const { stdout } = await promisify(execFile)("script", ["-qec", session, "/dev/null"]);
      const codes = JSON.parse(readFileSync(result as string, "utf8")) as (number | undefined)[];
      for (const [index, name] of Object.keys(ATTEMPTS).entries())
        tally.trial(codes[index] === 0 ? `a hook succeeded: ${name}` : undefined);
      const same = readFileSync(before as string, "utf8") === readFileSync(after as string, "utf8");
      tally.trial(same ? undefined : "the modes of the terminal are not what they were");
      tally.trial(stdout.includes("CANARY") ? "a hook wrote on the terminal" : undefined);
    }
    tally.figure(`${Object.keys(ATTEMPTS).length} attempts each, modes and screen as before`);
  },
};
