import type { NatsConnection } from "@nats-io/transport-node";
import { addressOf } from "../link/address.ts";
import type { Link } from "../link/link.ts";

/** How long a command waits for the server, in ms. */
const PATIENCE_MS = 10_000;

/** The connection of a link; rejects if the server cannot be reached. */
export async function connected(link: Link, url: string): Promise<NatsConnection> {
  const isReady = await link.ready(PATIENCE_MS);
  const { connection } = link;
  if (isReady && connection !== undefined) return connection;
  throw new Error(`${addressOf(url).shown} cannot be reached: ${link.problem ?? "no answer"}`);
}
