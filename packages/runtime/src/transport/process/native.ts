import { constants } from "node:os";
import { join } from "node:path";
import { getSystemErrorName } from "node:util";
import { isMainThread } from "node:worker_threads";
import { createExits } from "./exits.ts";
import { failureOf, type Launch, type Running, type StartFailure } from "./launch.ts";
import { type Libc, loadLibc } from "./libc.ts";
import { closePipe, type Pipe } from "./pipes.ts";
import { layPlumbing } from "./plumbing.ts";
import { HAS_PROC } from "./proc.ts";

/** The functions for processes that the system's C library provides. */
export interface Native {
  /**
   * Starts a process by `posix_spawn`, which copies nothing of the host, however large it is. Returns `undefined` if
   * the system refuses; then nothing was started. A text instead of a function says why it is not available.
   */
  readonly launch: ((launch: Launch) => Running | StartFailure | undefined) | string;
  /** Makes pipes. Throws with a code, like `open`. */
  pipes(count: number): readonly Pipe[];
}

const { EINVAL, ENOSYS, EPERM } = constants.errno;
/**
 * Error numbers that mean that the system refuses `posix_spawn` itself, usually by a system call filter. Programs
 * rarely cause them, so Node tries to start the process.
 */
const REFUSALS: readonly number[] = [-EINVAL, -ENOSYS, -EPERM];
/** The last of the standard descriptors, which a child's pipes must not use. */
const LAST_STANDARD = 2;

let loaded: Native | string | undefined;

/** Returns the library's functions, or a text that says why it is not available. Loaded on first use. */
export function native(): Native | string {
  loaded ??= load();
  return loaded;
}

function load(): Native | string {
  const { bun, deno, electron } = process.versions as { bun?: string; deno?: string; electron?: string };
  if (!HAS_PROC || (bun ?? deno ?? electron) !== undefined) return "it needs Linux and a plain Node";
  try {
    const libc = loadLibc();
    const pipes = (count: number): readonly Pipe[] => makePipes(libc, count);
    return { pipes, launch: isMainThread ? launcher(libc, pipes) : "only a main thread gets signals" };
  } catch (error) {
    return `the package koffi cannot be used: ${failureOf(error).message.split("\n", 1)[0]}`;
  }
}

function makePipes(libc: Libc, count: number): readonly Pipe[] {
  const made: Pipe[] = [];
  try {
    while (made.length < count) made.push(libc.pipe());
    return made;
  } catch (error) {
    for (const pipe of made) closePipe(pipe);
    throw error;
  }
}

function launcher(libc: Libc, pipes: Native["pipes"]): (launch: Launch) => Running | StartFailure | undefined {
  const exits = createExits(libc);
  return (launch) => {
    const problem = unusable(launch);
    if (problem !== undefined) return { code: "ERR_INVALID_ARG_VALUE", message: problem };
    let made: readonly Pipe[];
    try {
      made = pipes(launch.stdin === "pipe" ? 3 : 2);
    } catch (error) {
      return failureOf(error);
    }
    const plumbing = layPlumbing(made);
    const { stdin, stdout, stderr } = plumbing;
    if (Math.min(stdin ?? stdout, stdout, stderr) <= LAST_STANDARD) {
      plumbing.discard();
      return undefined;
    }
    const { file, args, cwd } = launch;
    const env = Object.entries(launch.env).map(([name, value]) => `${name}=${value}`);
    const { started, exited } = exits.follow(() =>
      startFound({ file, cwd, path: launch.env["PATH"] }, libc, (path, words) =>
        libc.spawn({ path, argv: [...words, ...args], env, cwd, stdin, stdout, stderr }),
      ),
    );
    if (started <= 0) {
      plumbing.discard();
      return REFUSALS.includes(started) ? undefined : failureAt(started, file);
    }
    plumbing.settle();
    const streams = plumbing.connect();
    void streams.stdout.ended.then(exits.look);
    return { pid: started, exited, ...streams };
  };
}

/** Returns why the system would cut off or misread an argument. Quotes no argument, which may be a payload. */
function unusable({ file, args, cwd, env }: Launch): string | undefined {
  const hasNul = (text: string): boolean => text.includes("\0");
  if (file === "") return "the name of the program is empty";
  if ([file, cwd].some(hasNul) || args.some(hasNul)) return "an argument contains a NUL character";
  for (const name in env) if (hasNul(name) || hasNul(env[name] ?? "")) return "a variable contains a NUL character";
  return undefined;
}

function failureAt(problem: number, file: string): StartFailure {
  const code = getSystemErrorName(problem);
  return { code, message: `spawn ${file} ${code}` };
}

const { EACCES, ENODEV, ENOENT, ENOEXEC, ENOTDIR, ESTALE, ETIMEDOUT } = constants.errno;
/** The errors after which the next place in `PATH` is tried. */
const GO_ON: readonly number[] = [EACCES, ENOENT, ENOTDIR, ESTALE, ENODEV, ETIMEDOUT];
const SHELL = "/bin/sh";

/** A program to find, and where to look for it. */
export interface Search {
  readonly file: string;
  /** The `PATH` of the new process, not the host's. */
  readonly path: string | undefined;
  readonly cwd: string;
}

/**
 * Starts a program as `execvp` does in a child that already has its variables and working folder (POSIX.1-2017,
 * `exec`). `start` gets a path and the words before the arguments, and returns a pid or a negative error number.
 */
export function startFound(
  { file, path, cwd }: Search,
  { isGnu, look }: Libc,
  start: (path: string, words: readonly string[]) => number,
): number {
  const attempt = (found: string): number => {
    const started = start(found, [file]);
    // glibc runs a file of unknown format as a shell script; musl does not.
    return started === -ENOEXEC && isGnu ? start(SHELL, [SHELL, found]) : started;
  };
  // A working folder that cannot be entered must not look like a missing program.
  const closed = look(`${cwd}/.`);
  if (closed !== 0) return -closed;
  if (file.includes("/")) return attempt(file);
  let problem = -ENOENT;
  for (const place of (path ?? (isGnu ? "/bin:/usr/bin" : "/usr/local/bin:/bin:/usr/bin")).split(":")) {
    const found = place === "" ? file : `${place}/${file}`;
    // Checking the path first costs a hundredth of what a failed start costs.
    const missing = look(found.startsWith("/") ? found : join(cwd, found));
    const started = missing === 0 ? attempt(found) : -missing;
    if (!GO_ON.includes(-started)) return started;
    if (problem !== -EACCES) problem = started;
  }
  return problem;
}
