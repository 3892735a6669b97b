import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { works } from "../stage/ground.ts";

/** The run of a text by a real bash. */
export interface Started {
  /** The name and the arguments of each started stub. */
  readonly commands: readonly (readonly string[])[];
  /** Files that exist in the folder afterwards. */
  readonly files: readonly string[];
  /** Whether the run had to be killed. */
  readonly isLate: boolean;
}

/** Whether texts can run with their own mounts and network; only then can programs that set `PATH` find the stubs. */
export const IS_APART = works("unshare", "-mnpf", "mount", "--bind", "/tmp", "/usr/local/bin");

/**
 * Returns a program that only records its name and arguments. It replaces a binary: a shell that is told to read it as
 * a script found in the PATH gets nothing.
 */
const stub = (log: string): string => `#!/bin/sh
case $0 in */*) ;; *) exit 126 ;; esac
IFS='\u0001'
printf '%s\\001%s\\002\\n' "\${0##*/}" "$*" >> "${log}$TEXT"
`;

/** A script that runs each text of the parent folder, one after the other, in an empty folder of its own. */
const DRIVER = `
[ "$1" = apart ] && mount --bind bin /usr/local/bin
n=0
while [ -f "t$n" ]; do
  : > log
  (cd "d$n" && TEXT=$n && export TEXT && exec timeout -k 1 -s KILL 4 bash --noprofile --norc "../t$n" < /dev/null > /dev/null 2>&1)
  [ $? = 137 ] && : > "late$n"
  # Only in a process namespace of its own.
  [ "$$" = 1 ] && kill -KILL -1
  [ -s log ] && cat log >> "log$n"
  n=$((n + 1))
done
`;

/** Runs texts in a real bash in which the target programs are stubs, with its own network and mounts if possible. */
export async function startedBy(texts: readonly string[], stubs: readonly string[]): Promise<readonly Started[]> {
  const top = mkdtempSync(join(tmpdir(), "commands-"));
  try {
    mkdirSync(join(top, "bin"));
    for (const name of stubs) {
      writeFileSync(join(top, "bin", name), stub(join(top, "log")));
      chmodSync(join(top, "bin", name), 0o755);
    }
    for (const [at, text] of texts.entries()) {
      writeFileSync(join(top, `t${at}`), `${text}\n`);
      writeFileSync(join(top, `log${at}`), "");
      mkdirSync(join(top, `d${at}`));
    }
    // Another shell as `sh` would read some texts differently.
    symlinkSync("/bin/bash", join(top, "bin", "sh"));
    const [program = "sh", ...args] = [
      ...(IS_APART ? ["unshare", "-mnpf"] : []),
      "/bin/sh",
      "-c",
      DRIVER,
      "sh",
      IS_APART ? "apart" : "",
    ];
    const env = {
      SHELL: "/bin/bash",
      PATH: `${join(top, "bin")}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
      HOME: top,
      LC_ALL: "C.UTF-8",
    };
    await once(spawn(program, args, { cwd: top, env, stdio: "ignore" }), "exit");
    return texts.map((_, at) => ({
      commands: readFileSync(join(top, `log${at}`), "utf8")
        .split("\u0002\n")
        .filter((one) => one !== "")
        .map((one) => one.replace(/\u0001$/, "").split("\u0001")),
      files: readdirSync(join(top, `d${at}`), { recursive: true }).map(String),
      isLate: existsSync(join(top, `late${at}`)),
    }));
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}
