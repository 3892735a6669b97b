import type { NatsConnection } from "@nats-io/transport-node";
import type { Link } from "./link.ts";

/** The answer to a request. */
export interface BusReply {
  readonly data: Uint8Array;
  header(name: string): string;
  /** The status in place of data, such as 404. */
  readonly code: number | undefined;
}

/** A connection to a fleet's server, as far as streams need it. */
export interface Bus {
  /** Sends a request and returns the answer; rejects if nothing answers. */
  request(subject: string, data: Uint8Array, headers?: Readonly<Record<string, string>>): Promise<BusReply>;
  /** Publishes an empty message, and resolves when the server has received it. */
  tell(subject: string): Promise<void>;
}

/** How long to wait for an answer, in ms. */
const MOST_MS = 5000;

/** Wraps a NATS connection as a bus. */
export async function busOf(connection: NatsConnection, mostMs = MOST_MS): Promise<Bus> {
  const { headers: newHeaders } = await import("./client.ts");
  return {
    async tell(subject) {
      connection.publish(subject);
      await connection.flush();
    },
    async request(subject, data, headers = {}) {
      const own = newHeaders();
      for (const [name, value] of Object.entries(headers)) own.set(name, value);
      const reply = await connection.request(subject, data, { timeout: mostMs, headers: own });
      return {
        data: reply.data,
        header: (name) => reply.headers?.get(name) ?? "",
        code: reply.headers === undefined || reply.headers.code === 0 ? undefined : reply.headers.code,
      };
    },
  };
}

/** Wraps a link's current connection as a bus; while the link has none, requests are rejected. */
export function busOn(link: Pick<Link, "connection" | "problem">): Bus {
  const now = (): Promise<Bus> => {
    const { connection } = link;
    if (connection !== undefined) return busOf(connection);
    return Promise.reject(new Error(link.problem ?? "not connected"));
  };
  return {
    request: async (...asked) => (await now()).request(...asked),
    tell: async (subject) => (await now()).tell(subject),
  };
}
