import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A port of loopback on which a server may listen, end, and listen again. On Linux a connection that is bound to it keeps
 * it meanwhile: the system gives it to nobody who asks for any free port, and whoever names it may listen there.
 */
export class HeldPort {
  readonly number: number;
  readonly #ends: readonly Socket[];

  private constructor(number: number, ends: readonly Socket[]) {
    this.number = number;
    this.#ends = ends;
    for (const end of ends) end.on("error", () => {}).unref();
  }

  static async take(): Promise<HeldPort> {
    for (;;) {
      const port = await freePort();
      const ends = process.platform === "linux" ? await connected(port) : [];
      if (ends !== undefined) return new HeldPort(port, ends);
    }
  }

  release(): void {
    for (const end of this.#ends) end.destroy();
  }
}

/** Both ends of a connection from this port; nothing where somebody else was faster. */
async function connected(from: number): Promise<readonly Socket[] | undefined> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const near = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.1", localPort: from });
  try {
    const [[far]] = await Promise.all([once(server, "connection") as Promise<[Socket]>, once(near, "connect")]);
    return [near, far];
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EADDRINUSE") throw thrown;
    return undefined;
  } finally {
    server.close();
  }
}

/** A port of this machine's loopback that nobody listens on now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
