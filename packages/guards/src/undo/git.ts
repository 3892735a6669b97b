import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** The environment variables for git; the person's own `GIT_*` are not passed. */
const ENVIRONMENT = {
  LC_ALL: "C",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  GIT_PAGER: "cat",
};

/** git's settings that are passed on its command line, and override those in any file. */
const SETTINGS = ["core.fsmonitor=false", "protocol.allow=never", "gc.auto=0", "safe.directory=*"];

/** The folders and input for running git. */
export interface GitCall {
  /** The shadow repository of undo. git never opens the person's own, whose configuration could start programs. */
  readonly gitDir: string;
  readonly workTree?: string;
  readonly input?: string | Buffer;
  readonly timeoutMs: number;
  readonly settings?: readonly string[];
}

/** Runs git on a shadow repository. Returns its output; `undefined` if git is missing, late or exits with 2 or more. */
export function gitOutput(args: readonly string[], call: GitCall): Buffer | undefined {
  const absent = join(call.gitDir, "absent");
  const files = [`core.hooksPath=${absent}`, `core.attributesFile=${absent}`];
  const settings = [...SETTINGS, ...files, ...(call.settings ?? [])].flatMap((setting) => ["-c", setting]);
  const { status, stdout } = spawnSync("git", ["--no-pager", ...settings, ...args], {
    cwd: call.workTree ?? call.gitDir,
    env: {
      ...ENVIRONMENT,
      PATH: process.env["PATH"],
      GIT_CONFIG_GLOBAL: absent,
      GIT_DIR: call.gitDir,
      ...(call.workTree === undefined ? {} : { GIT_WORK_TREE: call.workTree }),
    },
    ...(call.input === undefined ? {} : { input: call.input }),
    stdio: ["pipe", "pipe", "ignore"],
    timeout: Math.max(1, call.timeoutMs),
    killSignal: "SIGKILL",
    maxBuffer: 2 ** 31 - 1,
  });
  return status === 0 || status === 1 ? stdout : undefined;
}
