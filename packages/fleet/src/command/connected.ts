import { systemClock } from "@hookline/runtime/internal";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Authority } from "../identity/authority.ts";
import { addressOf } from "../link/address.ts";
import { Link } from "../link/link.ts";

/** How long a command waits for the server, in ms. */
const PATIENCE_MS = 10_000;

/** The connection of a link; rejects if the server cannot be reached. */
export async function connected(link: Link, url: string): Promise<NatsConnection> {
  const isReady = await link.ready(PATIENCE_MS);
  const { connection } = link;
  if (isReady && connection !== undefined) return connection;
  throw new Error(`${addressOf(url).shown} cannot be reached: ${link.problem ?? "no answer"}`);
}

/** Does on a fleet's server what no role may, with a token of some minutes that the owner's keys sign. */
export async function asAdministrator<T>(
  authority: Authority,
  url: string,
  work: (connection: NatsConnection) => Promise<T>,
): Promise<T> {
  const { token, key } = await authority.administrator();
  const creds = { fleet: authority.fleet, machine: "setup", role: "publisher", token, key } as const;
  const link = new Link({ url, creds, clock: systemClock, connectMs: PATIENCE_MS });
  try {
    return await work(await connected(link, url));
  } finally {
    link.close();
  }
}
