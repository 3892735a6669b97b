import { Agent, type ClientRequest, type ClientRequestArgs } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock, Timer } from "@hookline/ground";
import type { ConnectionTarget } from "./connect.ts";

/**
 * The time in milliseconds that an idle connection is kept. Less than common servers keep theirs (two seconds and
 * more), so that this side closes first and no request meets a connection that the other side is closing.
 */
const IDLE_MS = 1500;

/** The maximum number of idle connections to one host; more are closed. */
const MOST_IDLE = 8;

/** Options of a request, with a function that opens a new connection if it needs one. */
export interface PoolRequest extends ClientRequestArgs {
  readonly open: () => Promise<Socket>;
}

/** Returns the options of a request to a target, without its method and headers. */
export function requestTo(
  url: URL,
  { host, port }: ConnectionTarget,
  by: { readonly pool: Pool; open(): Promise<Socket> },
): PoolRequest {
  const { protocol, pathname, search } = url;
  // The parser is set explicitly, because a Node option changes the default.
  return { agent: by.pool, open: by.open, protocol, host, port, path: pathname + search, insecureHTTPParser: false };
}

/**
 * Keeps open connections for later requests. There is one pool for each scheme, with and without access to internal
 * networks: a connection that was opened for a user's hook must never serve a project's.
 */
export class Pool extends Agent {
  /** The scheme, such as `https:`, which Node compares with the request's. */
  readonly protocol: string;
  readonly #clock: Clock;
  readonly #idle = new WeakMap<Duplex, { readonly timer: Timer; readonly end: () => void }>();

  /** With `keeps` false each request gets a connection of its own. */
  constructor(protocol: string, clock: Clock, keeps = true) {
    super({ keepAlive: keeps, maxFreeSockets: MOST_IDLE });
    this.protocol = protocol;
    this.#clock = clock;
  }

  /** Whether a request could get an idle connection. */
  get isKeeping(): boolean {
    return Object.keys(this.freeSockets).length > 0;
  }

  /** Closes the connections that no request uses. */
  closeIdle(): void {
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  override createConnection(
    options: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const opened = done as (error: Error | null, socket?: Duplex) => void;
    (options as PoolRequest).open().then((socket) => opened(null, socket), opened);
  }

  /** Called by Node when a connection becomes idle. */
  override keepSocketAlive(socket: Duplex): boolean {
    // Node's own method applies the server's `Keep-Alive: timeout=…` and lets the process exit meanwhile. It returns a
    // boolean, which its types lack.
    const isKept: unknown = super.keepSocketAlive(socket);
    if (isKept === false) return false;
    // Data that arrives while idle answers no request, and must not answer the next one.
    const end = (): void => void socket.destroy();
    const timer = this.#clock.timer(IDLE_MS, end);
    this.#idle.set(socket, { timer, end });
    socket.on("data", end);
    return true;
  }

  /** Called by Node when an idle connection gets a request. */
  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    const idle = this.#idle.get(socket);
    idle?.timer.cancel();
    if (idle !== undefined) socket.off("data", idle.end);
    super.reuseSocket(socket, request);
  }
}
