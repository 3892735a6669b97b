import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fixturePath, folder, PATHS } from "./kit.ts";

/** Attempts of a hook on the agent's terminal. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  "alternate screen": "printf '\\033[?1049hCANARY' > /dev/tty",
  title: "printf '\\033]0;CANARY\\007' > /dev/tty",
  "raw mode": "stty raw < /dev/tty",
  "no echo": "stty -echo < /dev/tty",
  "its own stdin": "stty raw -echo",
  "read a line": "read -r line < /dev/tty",
};

it.runIf(spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0).each(PATHS)(
  "a hook gets no terminal from a host that has one (%s)",
  (path) => {
    const home = folder();
    const [before, after, result] = ["before", "after", "result"].map((name) => join(home.path, name));
    const options = JSON.stringify({ path, result, commands: Object.values(ATTEMPTS) }).replaceAll("'", "'\\''");
    const host = `${process.execPath} ${fixturePath("terminal.ts")} '${options}'`;
    const screen = execFileSync("script", ["-qec", `stty -g > ${before}; ${host}; stty -g > ${after}`, "/dev/null"]);
    const codes = JSON.parse(readFileSync(result as string, "utf8")) as (number | null)[];
    expect(codes).toHaveLength(Object.keys(ATTEMPTS).length);
    expect(Object.keys(ATTEMPTS).filter((_, index) => codes[index] === 0)).toEqual([]);
    expect(readFileSync(after as string, "utf8")).toBe(readFileSync(before as string, "utf8"));
    expect(screen.toString()).not.toContain("CANARY");
    home.remove();
  },
);
