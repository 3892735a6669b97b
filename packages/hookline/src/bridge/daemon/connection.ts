import { writeSync } from "node:fs";
import { createServer, type Server, Socket } from "node:net";

/** A client's connection. */
export interface Connection {
  /** Nothing of what the client has sent was read. */
  readonly isUnread: boolean;
  /** Closes it once these bytes are written; `done` is called then, and where the client has gone. */
  end(bytes: Uint8Array, done: () => void): void;
  close(): void;
}

/** Is told of a connection. */
export interface Listener {
  onPiece(bytes: Buffer): void;
  /** The client has closed its side, or the connection is closed. */
  onEnd(): void;
}

/** Takes a connection, and gives who is told of it; nothing for one that was closed at once. */
export type Take = (connection: Connection) => Listener | undefined;

/** Node's own connection, below its streams. */
interface Handle {
  readonly fd: number;
  /** Called with what was read, and with nothing at the end. */
  onread: (bytes?: ArrayBuffer) => void;
  readStart(): void;
  readStop(): void;
  close(): void;
}

/** The versions of Node whose handles are known to be like that. */
const KNOWN = /^2[2-4]\./;

/**
 * Listens at a path. Making and ending a stream for each connection is a third of the daemon's work for a call, so
 * connections go without one where Node's handles are known.
 */
export function listen(path: string, take: Take, isKnown = KNOWN.test(process.versions.node)): Server {
  const server = createServer((socket) => new Streamed(socket, take)).listen(path);
  const { _handle: listening } = server as { _handle?: { onconnection(failed: number, handle: Handle): void } };
  if (isKnown && listening !== undefined)
    listening.onconnection = (failed, handle) => void (failed === 0 && new Bare(handle, take));
  return server;
}

class Streamed implements Connection {
  readonly #socket: Socket;

  constructor(socket: Socket, take: Take) {
    this.#socket = socket;
    socket.on("error", () => {});
    const listener = take(this);
    if (listener === undefined) return;
    for (const event of ["end", "close"]) socket.on(event, () => listener.onEnd());
    socket.on("data", (bytes) => listener.onPiece(bytes));
  }

  get isUnread(): boolean {
    return this.#socket.bytesRead === 0;
  }

  end(bytes: Uint8Array, done: () => void): void {
    this.#socket.end(bytes, () => {
      this.close();
      done();
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

class Bare implements Connection {
  isUnread = true;
  readonly #handle: Handle;
  #listener: Listener | undefined;
  /** What is closed in the end; absent once it is. */
  #open: { close(): void } | undefined;

  constructor(handle: Handle, take: Take) {
    this.#handle = handle;
    this.#open = handle;
    this.#listener = take(this);
    if (this.#listener === undefined) return;
    handle.onread = (bytes) => this.#read(bytes);
    handle.readStart();
  }

  #read(bytes: ArrayBuffer | undefined): void {
    if (bytes === undefined) this.close();
    else {
      this.isUnread = false;
      this.#listener?.onPiece(Buffer.from(bytes));
    }
  }

  end(bytes: Uint8Array, done: () => void): void {
    const put = this.#open === undefined ? bytes.length : written(this.#handle.fd, bytes);
    if (put === bytes.length) {
      this.close();
      done();
    } else {
      // A stream waits for a client that takes its time, or that has gone.
      this.#handle.readStop();
      const socket = new Socket({ handle: this.#handle } as object);
      const rest = new Streamed(socket, () => this.#listener);
      this.#open = rest;
      rest.end(bytes.subarray(put), done);
    }
  }

  close(): void {
    this.#open?.close();
    this.#open = undefined;
    this.#listener?.onEnd();
  }
}

/** How many bytes could be written at once. */
function written(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch {
    return 0;
  }
}
