/** Whether a host is this machine itself. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Address of a server, and whether the connection must be encrypted. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly needsTls: boolean;
  /** The URL as messages show it, without parts that may be secret. */
  readonly shown: string;
}

/** Reads the server's address from a URL. Throws if it would send data unencrypted to another machine. */
export function addressOf(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The URL parser does not lower the case of the host if it does not know the scheme.
  const host = url?.hostname.toLowerCase() ?? "";
  if (url === undefined || !["nats:", "tls:"].includes(url.protocol) || host === "")
    throw new Error("the URL must be tls://HOST:PORT, or nats://127.0.0.1:PORT on this machine");
  if (url.username !== "" || url.password !== "")
    throw new Error("the URL must not contain a user or password; the creds file says who the machine is");
  const port = url.port === "" ? 4222 : Number(url.port);
  const shown = `${url.protocol}//${host}:${port}`;
  if (url.protocol === "nats:" && !isLoopback(host))
    throw new Error(`${shown} is not this machine, so the connection must be encrypted: write tls://${host}:${port}`);
  return { host, port, needsTls: url.protocol === "tls:", shown };
}
