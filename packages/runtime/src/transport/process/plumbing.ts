import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { PipeSource } from "./pipes.ts";
import { pipeSource, type Source } from "./source.ts";

/** The pipes between the host and one child. */
export interface Plumbing {
  /** Descriptors for the child. The child needs copies of its own; `settle` and `discard` close these. */
  readonly stdin: number | undefined;
  readonly stdout: number;
  readonly stderr: number;
  /** Turns the host's ends into streams. They say nothing of an end before `settle`. */
  connect(): Streams;
  /** Closes the child's ends, once it has its own. */
  settle(): void;
  /** Closes everything when there is no child. */
  discard(): void;
}

/** The host's ends. */
export interface Streams {
  readonly stdin?: Writable;
  readonly stdout: Source;
  readonly stderr: Source;
}

/** Lays the pipes for one child; `undefined` where real pipes cannot be had. Rejects with a shortage. */
export async function openPlumbing(pipes: PipeSource, withStdin: boolean): Promise<Plumbing | undefined> {
  const taken = await pipes.take(withStdin ? 3 : 2);
  if (taken === undefined) return undefined;
  const [output, errors, input] = taken;
  if (output === undefined || errors === undefined) return undefined;
  const childEnds = [output.write, errors.write, ...(input === undefined ? [] : [input.read])];
  let closeHostEnds = (): void => {
    for (const fd of [output.read, errors.read, ...(input === undefined ? [] : [input.write])]) closeSync(fd);
  };
  const settle = (): void => {
    for (const fd of childEnds) closeSync(fd);
  };
  return {
    stdin: input?.read,
    stdout: output.write,
    stderr: errors.write,
    connect() {
      const stdin = input && quiet(new Socket({ fd: input.write, readable: false, writable: true }));
      const [stdout, stderr] = [pipeSource(output.read), pipeSource(errors.read)];
      closeHostEnds = () => {
        for (const stream of [stdin, stdout, stderr]) stream?.destroy();
      };
      return { ...(stdin !== undefined && { stdin }), stdout, stderr };
    },
    settle,
    discard() {
      settle();
      closeHostEnds();
    },
  };
}

/** A child that reads nothing, or closes its end early, is normal: the broken pipe is nobody's error. */
export function quiet(stdin: Writable): Writable {
  return stdin.on("error", () => {});
}
