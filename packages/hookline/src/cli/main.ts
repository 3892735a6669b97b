import { existsSync } from "node:fs";
import { VERSION } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { flushed, isNullDevice, isRegularFile, type Outlet, openOutlet } from "./outlet.ts";

/** A run that a signal ended has this plus the signal's number as its exit code. */
const BY_SIGNAL = 128;

/** How long slow readers are waited for after a signal, in ms. */
const HURRY_MS = 1000;

/** Runs the command line of this process, then exits. */
export async function start(): Promise<void> {
  makeExitCertain();
  const out = openOutlet(process.stdout);
  process.stderr.on("error", () => {});
  const code = await runHere(process.argv.slice(2), out);
  const mostMs = code > BY_SIGNAL ? HURRY_MS : undefined;
  await flushed(process.stdout, mostMs);
  const { failure } = out;
  if (failure !== undefined) process.stderr.write(`hookline: stdout could not be written: ${failure.message}\n`);
  await flushed(process.stderr, mostMs);
  process.exit(code === 0 && failure !== undefined ? 1 : code);
}

async function runHere(argv: readonly string[], out: Outlet): Promise<number> {
  if (argv[0] === "--version" || argv[0] === "-v") {
    out.write(`${VERSION}\n`);
    return 0;
  }
  const cwd = workingFolder();
  if (cwd === undefined) return cannotRun("the working folder is gone", "Change to one that exists", argv, out);
  // Without a handler, SIGUSR1 would open Node's debugger, and with it this process's keys, to every program here.
  process.on("SIGUSR1", () => {});
  // Node replaces bytes that are not UTF-8 in the folder's name. Under that name nothing is found, not even guards.
  if (cwd.includes("\ufffd") && !existsSync(cwd))
    return cannotRun("the name of the working folder is not valid UTF-8", "Rename it", argv, out);
  const { personHome, run } = await import("./run.ts");
  correctHome(personHome);
  return run(argv, processIo(cwd, out));
}

/**
 * Reports why the program cannot run. A host that asks about a call gets a refusal, because after a mere error it would
 * let the call through.
 */
async function cannotRun(because: string, remedy: string, argv: readonly string[], out: Outlet): Promise<number> {
  const [command, word, ...words] = argv;
  if (command !== "bridge" || word !== "call") {
    process.stderr.write(`hookline: ${because[0]?.toUpperCase()}${because.slice(1)}. ${remedy}, and try again.\n`);
    return 1;
  }
  const { unaskedCall } = await import("../bridge/call.ts");
  const { exit, stdout, stderr } = await unaskedCall(words, because);
  out.write(stdout);
  process.stderr.write(stderr);
  return exit;
}

/** Sets `HOME` to the person's real home folder, because in-process hooks and libraries read it (ruling 58). */
function correctHome(personHome: (env: NodeJS.ProcessEnv) => string): void {
  try {
    process.env["HOME"] = personHome(process.env);
  } catch {
    // Without a home folder, the run itself reports that and does not start.
  }
}

function processIo(cwd: string, { write, readerGone }: Outlet): Io {
  return {
    env: process.env,
    cwd,
    stdinIsTerminal: process.stdin.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    out: write,
    readerGone,
    err: (text) => void process.stderr.write(text),
    get input() {
      return process.stdin;
    },
    async readStdin(wait) {
      // Programs often start this one with `/dev/null` as its input; opening that as a stream takes 2 ms of a launch.
      if (isNullDevice(0)) return "";
      const { readInput } = await import("@hookline/ground/stdin");
      return readInput(process.stdin, isRegularFile(0) ? { ...wait, tell: () => {} } : wait);
    },
    async ask(question) {
      const { createInterface } = await import("node:readline/promises");
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
  };
}

/** Returns the working folder; undefined if it has been removed. */
function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

type Exit = (code?: number) => never;

/** Node's names for work that occupies a thread of its pool. */
const THREADED = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/** The time in ms that busy threads get to finish at the exit, which is enough for most work. */
const MOMENT_MS = 250;

const SHELL = "/bin/sh";

/**
 * Makes sure that this process can always exit. At exit, Node waits for the threads of its pool; a thread that waits
 * for a pipe or a lost network folder would hold the process forever. If a thread is still busy, the process is
 * replaced by one that exits immediately with the same code.
 */
function makeExitCertain(): void {
  const { execve } = process;
  if (execve === undefined || !existsSync(SHELL)) return;
  const on = process as unknown as { reallyExit: Exit };
  const exit = on.reallyExit;
  on.reallyExit = function exitDespiteThreads(code = 0): never {
    if (process.getActiveResourcesInfo().some((name) => THREADED.test(name))) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MOMENT_MS);
      execve.call(process, SHELL, ["sh", "-c", `exit ${Number(code) & 0xff}`], {});
    }
    return exit.call(process, code);
  };
}
