import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { type Exit, failureOf, type Launch, type Running, type StartFailure } from "./launch.ts";
import type { PipeSource } from "./pipes.ts";
import { openPlumbing, type Plumbing, quiet, type Streams, streamSource } from "./plumbing.ts";

/**
 * Starts a process from the host itself. Never rejects. Forking copies the host's page tables, which is slow with a
 * large heap.
 */
export function createDirectLauncher(
  pipes: PipeSource,
  /** Returns why output cannot be read if Node makes the child's pipes itself; `undefined` if it can. */
  problemOf: () => Promise<StartFailure | undefined> = async () => undefined,
): (launch: Launch) => Promise<Running | StartFailure> {
  return async (launch) => {
    let plumbing: Plumbing | undefined;
    let child: ChildProcess;
    try {
      plumbing = await openPlumbing(pipes, launch.stdin === "pipe");
      const problem = plumbing === undefined ? await problemOf() : undefined;
      if (problem !== undefined) return problem;
      // Node throws if the kernel refuses at once (E2BIG), and emits an event after other failures.
      child = spawn(launch.file, [...launch.args], {
        cwd: launch.cwd,
        // With a socket as its input, bash assumes a remote login and runs the person's .bashrc, unless SHLVL is set.
        env: plumbing === undefined ? { SHLVL: "1", ...launch.env } : launch.env,
        stdio: stdioOf(launch, plumbing),
        detached: !launch.isGuest,
      });
    } catch (error) {
      plumbing?.discard();
      return failureOf(error);
    }
    const { pid } = child;
    if (pid === undefined) {
      const error = await new Promise((resolve) => child.once("error", resolve));
      plumbing?.discard();
      return failureOf(error);
    }
    child.on("error", () => {});
    const exited = new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    plumbing?.settle();
    return { pid, exited, ...(plumbing?.connect() ?? ownStreams(child)) };
  };
}

function stdioOf(launch: Launch, plumbing: Plumbing | undefined): StdioOptions {
  const stdin =
    launch.stdin === "pipe" ? (plumbing?.stdin ?? "pipe") : launch.stdin === "inherit" ? "inherit" : "ignore";
  return [stdin, plumbing?.stdout ?? "pipe", plumbing?.stderr ?? "pipe"];
}

function ownStreams({ stdin, stdout, stderr }: ChildProcess): Streams {
  if (stdout === null || stderr === null) throw new Error("a child without pipes was started with pipes");
  return {
    ...(stdin !== null && { stdin: quiet(stdin) }),
    stdout: streamSource(stdout),
    stderr: streamSource(stderr),
  };
}
