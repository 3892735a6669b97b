import { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { Pipe, PipeSource } from "./pipes.ts";
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
  return taken && layPlumbing(taken);
}

/** The plumbing that is made of two pipes, or of three with one for the input. */
export function layPlumbing([output, errors, input]: readonly Pipe[]): Plumbing {
  if (output === undefined || errors === undefined) throw new Error("a child takes two pipes at least");
  const { close } = output;
  let closeHostEnds = (): void => {
    close(output.read);
    close(errors.read);
    if (input !== undefined) close(input.write);
  };
  const settle = (): void => {
    close(output.write);
    close(errors.write);
    if (input !== undefined) close(input.read);
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
