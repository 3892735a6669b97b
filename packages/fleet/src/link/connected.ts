import type { NatsConnection } from "@nats-io/transport-node";
import { addressOf } from "./address.ts";
import type { Link } from "./link.ts";

/** How long a command waits for the server, in ms. */
export const PATIENCE_MS = 10_000;

/**
 * Waits for a link's connection. Rejects at once for an address that cannot be used, and otherwise if the server cannot
 * be reached or `signal` is aborted.
 */
export async function connected(link: Link, url: string, signal?: AbortSignal): Promise<NatsConnection> {
  const { shown } = addressOf(url);
  const isReady = await link.ready(PATIENCE_MS, signal);
  const { connection } = link;
  if (isReady && connection !== undefined) return connection;
  throw new Error(`${shown} cannot be reached: ${link.problem ?? "no answer"}`);
}
