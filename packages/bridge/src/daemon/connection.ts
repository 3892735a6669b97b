import { createServer, type Server, type Socket } from "node:net";

/** A client's connection. */
export interface Connection {
  /** True until the first byte from the client was read. */
  readonly isUnread: boolean;
  /** Closes the connection after writing these bytes; `done` is called then, or when the client has left. */
  end(bytes: Uint8Array, done: () => void): void;
  close(): void;
}

/** Receives what happens on a connection. */
export interface Listener {
  onPiece(bytes: Buffer): void;
  /** Called when the client has closed its side, or the connection is closed. */
  onEnd(): void;
}

/** Accepts a connection and returns its listener; `undefined` if it was closed at once. */
export type Take = (connection: Connection) => Listener | undefined;

/** Listens at a path. */
export function listen(path: string, take: Take): Server {
  return createServer((socket) => accept(socket, take)).listen(path);
}

function accept(socket: Socket, take: Take): void {
  socket.on("error", () => {});
  const listener = take({
    get isUnread() {
      return socket.bytesRead === 0;
    },
    end(bytes, done) {
      socket.end(bytes, () => {
        socket.destroy();
        done();
      });
    },
    close: () => void socket.destroy(),
  });
  if (listener === undefined) return;
  for (const event of ["end", "close"]) socket.on(event, () => listener.onEnd());
  socket.on("data", (bytes) => listener.onPiece(bytes));
}
