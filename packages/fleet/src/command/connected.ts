import type { NatsConnection } from "@nats-io/transport-node";
import type { Authority } from "../identity/authority.ts";
import { systemClock } from "../kit.ts";
import { connected, PATIENCE_MS } from "../link/connected.ts";
import { Link } from "../link/link.ts";

/** Does work on a fleet's server that needs more rights than any role has, with a short-lived token of the owner. */
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
