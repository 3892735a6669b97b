import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Reach, reachOf } from "./address.ts";

/** Resolves a host name to addresses. Rejects if there are none. */
export type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>;

/** The target of a connection, and the addresses it may reach. */
export interface ConnectionTarget {
  /** The host name or address; IPv6 without its brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Whether the URL names this machine; if so, no other machine may answer. */
  readonly isLocal: boolean;
  /** Whether addresses of internal networks may be reached. */
  readonly mayReachInternal: boolean;
}

/** The name resolver and the trusted certificates for new connections. */
export interface Connecting {
  readonly resolve: Resolve;
  /** Certificates to trust instead of Node's own. */
  readonly ca: readonly string[] | undefined;
}

/** Thrown for a connection to an address that the hook may not reach. */
export class Refused extends Error {}

/** The time in milliseconds to try one address of a host that has further ones. */
const ATTEMPT_MS = 1000;

/** Resolves with the system's own resolver, including its hosts file. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true });

/**
 * Opens a connection to an address that was checked. The name is resolved once, and the connection uses one of those
 * addresses, so that a second answer of the resolver changes nothing (DNS rebinding). Resolves when the connection,
 * including TLS, is ready for writing. Throws `Refused` for what the rules forbid.
 */
export async function connect(
  target: ConnectionTarget,
  { resolve, ca }: Connecting,
  signal: AbortSignal,
): Promise<Socket> {
  const { host, port, isTls } = target;
  const addresses = await addressesOf(target, resolve);
  for (const address of addresses) judge(target, address);
  signal.throwIfAborted();
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  const options = {
    host,
    port,
    // If `host` is an address, which has already been checked, Node does not call this.
    lookup: (_host: string, _options: object, done: (error: null, addresses: typeof pinned) => void) =>
      done(null, pinned),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    noDelay: true,
  };
  const socket = isTls
    ? connectTls({
        ...options,
        servername: isIP(host) === 0 ? host : "",
        ALPNProtocols: ["http/1.1"],
        minVersion: "TLSv1.2",
        // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED and a Node option change the default.
        rejectUnauthorized: true,
        ...(ca !== undefined && { ca: [...ca] }),
      })
    : connectTcp(options);
  return ready(socket, isTls ? "secureConnect" : "connect", signal);
}

async function addressesOf({ host, isLocal }: ConnectionTarget, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // Names of this machine are not resolved (RFC 6761).
  if (isLocal) return ["127.0.0.1", "::1"];
  const found = await resolve(host);
  if (found.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  return found.map(({ address }) => address);
}

function judge({ host, isLocal, mayReachInternal }: ConnectionTarget, address: string): void {
  const reach = reachOf(address);
  if (isLocal ? reach === "loopback" : reach === "public" || mayReachInternal) return;
  const named = isIP(host) === 0 ? `${host} leads to ${address}` : host;
  throw new Refused(`${named}, ${WORDS[reach]}, which only hooks of the user's own may ask`);
}

const WORDS: Readonly<Record<Reach, string>> = {
  public: "an address of another machine",
  loopback: "this machine under another name",
  internal: "an address inside of a network",
};

/** Waits until the socket is writable; destroys it on failure. */
function ready(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown): void => {
      socket.off(event, onReady).off("error", settle).off("close", onClose);
      signal.removeEventListener("abort", onAbort);
      if (error === undefined) resolve(socket);
      else {
        // No other code listens to the socket's errors any more.
        socket.on("error", () => {}).destroy();
        reject(error);
      }
    };
    const onReady = (): void => settle();
    const onClose = (): void => settle(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    const onAbort = (): void => settle(signal.reason);
    socket.once(event, onReady).once("error", settle).once("close", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
