import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Pipe, PipeSource } from "./pipes.ts";

/** The pipes between the host and one child. */
export interface Plumbing {
  /** The child's ends of the pipes. The child gets copies; `settle` and `discard` close the ones in this process. */
  readonly stdin: number | undefined;
  readonly stdout: number;
  readonly stderr: number;
  /** Returns the host's ends as streams. Until `settle` they cannot end, because the child's ends are open here. */
  connect(): Streams;
  /** Closes this process's copies of the child's ends, once the child has its own. */
  settle(): void;
  /** Closes all ends, if no child was started. */
  discard(): void;
}

/** The host's ends of the pipes, as streams. */
export interface Streams {
  readonly stdin?: Writable;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/** Makes the pipes for one child; `undefined` if real pipes are not available. Rejects on a shortage. */
export async function openPlumbing(pipes: PipeSource, withStdin: boolean): Promise<Plumbing | undefined> {
  const taken = await pipes.take(withStdin ? 3 : 2);
  return taken && layPlumbing(taken);
}

/** Connects a child's output and errors to two pipes, and its input to a third one, if given. */
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

/**
 * Ignores errors of a child's input. The child may read nothing or close its end early, so a broken pipe is not an
 * error.
 */
export function quiet(stdin: Writable): Writable {
  return stdin.on("error", () => {});
}

/** One output stream of a child. Errors are handled inside: a broken pipe counts as the end. */
export interface OutputStream {
  /** Starts reading, or continues with another listener. A chunk is only valid during the call; copy it to keep it. */
  read(listener: (chunk: Uint8Array) => void): void;
  /** Stops reading until the promise settles, so that the writer has to wait. */
  hold(until: Promise<unknown>): void;
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  destroy(): void;
}

/**
 * The buffer that all pipes are read into: a chunk is processed before the next is read, so a flood of output leaves no
 * garbage.
 */
const block = Buffer.allocUnsafeSlow(64 * 1024);

/** Reads one end of a pipe, and closes it at the end. */
export function pipeSource(fd: number): OutputStream {
  let listener: ((chunk: Uint8Array) => void) | undefined;
  const early: Buffer[] = [];
  let holds = 0;
  const hear = (size: number, lent: Uint8Array): boolean => {
    const chunk = lent.subarray(0, size);
    if (listener === undefined) early.push(Buffer.from(chunk));
    else listener(chunk);
    return holds === 0;
  };
  const socket = new Socket({ fd, readable: true, writable: false, onread: { buffer: block, callback: hear } });
  return {
    read(next) {
      listener = next;
      for (const chunk of early.splice(0)) next(chunk);
    },
    hold(until) {
      holds++;
      const release = (): void => {
        if (--holds === 0) socket.resume();
      };
      until.then(release, release);
    },
    ended: endOf(socket),
    destroy: () => void socket.destroy(),
  };
}

/** Reads a Node stream, for children without real pipes. */
export function streamSource(stream: Readable): OutputStream {
  let holds = 0;
  return {
    read(listener) {
      stream.removeAllListeners("data").on("data", listener);
    },
    hold(until) {
      holds++;
      stream.pause();
      const release = (): void => {
        if (--holds === 0) stream.resume();
      };
      until.then(release, release);
    },
    ended: endOf(stream),
    destroy: () => void stream.removeAllListeners("data").destroy(),
  };
}

function endOf(stream: Readable): Promise<void> {
  stream.on("error", () => {});
  return new Promise((resolve) => {
    stream.once("close", () => resolve());
  });
}
