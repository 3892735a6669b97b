import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server on this machine that can be shut: what is connected by it is cut off, and nobody else gets through. */
export class Door {
  readonly #server = createServer((near) => this.#pass(near));
  readonly #sockets = new Set<Socket>();
  readonly #to: number;
  #isShut = false;

  private constructor(to: number) {
    this.#to = to;
  }

  static async to(port: number): Promise<Door> {
    const door = new Door(port);
    door.#server.listen(0, "127.0.0.1");
    await once(door.#server, "listening");
    return door;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  shut(): void {
    this.#isShut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  open(): void {
    this.#isShut = false;
  }

  async close(): Promise<void> {
    this.shut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #pass(near: Socket): void {
    if (this.#isShut) return void near.destroy();
    const far = connect(this.#to, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
