import { spawn } from "node:child_process";
import { basename } from "node:path";

/** Time limit for programs that hang, in ms; on a busy machine a repository takes a minute to load. */
const LIMIT_MS = 300_000;

/** The exit code of a program (null if a signal ended it), and its output. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end, for at most five minutes. */
export function run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: LIMIT_MS, env });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
    child.on("error", (error) => resolve({ code: null, out, err: `${basename(program)}: ${error.message}` }));
    child.on("close", (code) => resolve({ code, out, err }));
  });
}
