import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { PipeSource } from "./pipes.ts";
import { pipeSource, type Source } from "./source.ts";

/** The pipes between the host and one child. */
export interface Plumbing {
  /** Descriptors for the child. The child needs copies of its own; `connect` and `discard` close these. */
  readonly stdin: number | undefined;
  readonly stdout: number;
  readonly stderr: number;
  /** Turns the host's ends into streams, once the child has its own. */
  connect(): Streams;
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
  const hostEnds = [output.read, errors.read, ...(input === undefined ? [] : [input.write])];
  return {
    stdin: input?.read,
    stdout: output.write,
    stderr: errors.write,
    connect() {
      for (const fd of childEnds) closeSync(fd);
      const stdin = input && new Socket({ fd: input.write, readable: false, writable: true });
      return {
        ...(stdin !== undefined && { stdin: quiet(stdin) }),
        stdout: pipeSource(output.read),
        stderr: pipeSource(errors.read),
      };
    },
    discard() {
      for (const fd of [...childEnds, ...hostEnds]) closeSync(fd);
    },
  };
}

/** A child that reads nothing, or closes its end early, is normal: the broken pipe is nobody's error. */
export function quiet(stdin: Writable): Writable {
  return stdin.on("error", () => {});
}
