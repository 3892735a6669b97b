import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Clock } from "@hookline/ground";
import type { StartFailure } from "./launch.ts";
import type { Pipe } from "./pipes.ts";
import { type OutputStream, pipeSource, quiet, streamSource } from "./plumbing.ts";

/**
 * The text that is sent through a pipe and must come back. Some programs other than Node in which hookline runs lose
 * what arrives in a pipe, without an error.
 */
const TOKEN = "echo of hookline\n";
const ECHO_MS = 5000;

/** Whether text sent through a pipe came back: `reads` for pipes by descriptors, `readsOwn` for Node's own pipes. */
let reads: Promise<boolean> | undefined;
let readsOwn: Promise<boolean> | undefined;

/** Returns whether this process can read and write pipes by their descriptors; tested once, by an echo. */
export function readsPipes(
  take: () => Promise<readonly Pipe[] | undefined>,
  clock: Clock,
  onLost: () => void,
): Promise<boolean> {
  return (reads ??= take().then(
    async (pipes) => {
      const isEcho = pipes?.[0] !== undefined && (await echoes(pipes[0], clock));
      if (pipes === undefined) reads = undefined;
      else if (!isEcho) onLost();
      return isEcho;
    },
    (thrown: unknown) => {
      // A shortage of descriptors does not show whether pipes work, so the next call tests again.
      reads = undefined;
      throw thrown;
    },
  ));
}

async function echoes(pipe: Pipe, clock: Clock): Promise<boolean> {
  try {
    const source = pipeSource(pipe.read);
    const stdin = quiet(new Socket({ fd: pipe.write, readable: false, writable: true }));
    const isEcho = await hears(source, clock, () => stdin.end(TOKEN));
    source.destroy();
    stdin.destroy();
    return isEcho;
  } catch {
    return false;
  }
}

/** Returns a failure if this process cannot read through Node's own pipes what its children print. */
export async function ownPipesProblem(clock: Clock): Promise<StartFailure | undefined> {
  if (process.platform === "win32") return undefined;
  readsOwn ??= (async () => {
    const child = spawn("/bin/sh", ["-c", "cat"], { stdio: ["pipe", "pipe", "ignore"], env: {} });
    child.on("error", () => {});
    const isEcho = await hears(streamSource(child.stdout), clock, () => quiet(child.stdin).end(TOKEN));
    child.kill("SIGKILL");
    return isEcho;
  })();
  if (await readsOwn) return undefined;
  return { code: "NO_ECHO", message: "this program cannot read what its child processes print" };
}

/** Returns whether a stream delivers the text of the echo test, which `say` sends. */
async function hears(source: OutputStream, clock: Clock, say: () => void): Promise<boolean> {
  let heard = "";
  source.read((chunk) => {
    heard += Buffer.from(chunk).toString("latin1");
  });
  const late = Promise.withResolvers<void>();
  const timer = clock.timer(ECHO_MS, late.resolve);
  timer.hold(true);
  say();
  await Promise.race([source.ended, late.promise]);
  timer.cancel();
  return heard === TOKEN;
}
