import { Socket } from "node:net";
import type { Readable } from "node:stream";

/** One stream of what a child says. Its errors are taken care of: a broken pipe is its end. */
export interface Source {
  /** Begins to read, or goes on with another listener. A chunk is only lent; whoever keeps it must copy it. */
  read(listener: (chunk: Uint8Array) => void): void;
  /** Resolves when nothing more will come. */
  readonly ended: Promise<void>;
  destroy(): void;
}

/** Every pipe is read into this one: a chunk is done with before the next is read, and a flood leaves no garbage. */
const block = Buffer.allocUnsafeSlow(64 * 1024);

/** Reads the end of a pipe, which it closes. */
export function pipeSource(fd: number): Source {
  let listener: ((chunk: Uint8Array) => void) | undefined;
  const early: Buffer[] = [];
  const hear = (size: number, lent: Uint8Array): boolean => {
    const chunk = lent.subarray(0, size);
    if (listener === undefined) early.push(Buffer.from(chunk));
    else listener(chunk);
    return true;
  };
  const socket = new Socket({ fd, readable: true, writable: false, onread: { buffer: block, callback: hear } });
  return {
    read(next) {
      listener = next;
      for (const chunk of early.splice(0)) next(chunk);
    },
    ended: endOf(socket),
    destroy: () => void socket.destroy(),
  };
}

/** Reads a stream of Node's own, where there are no pipes. */
export function streamSource(stream: Readable): Source {
  return {
    read(listener) {
      stream.removeAllListeners("data").on("data", listener);
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
