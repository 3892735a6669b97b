import type { NatsConnection } from "@nats-io/transport-node";
import { namesOf } from "../name/subjects.ts";

const NANOS = 1_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Options for a fleet's stream of decisions. */
export interface StreamOptions {
  readonly fleet: string;
  /** How long decisions are kept, in ms; at least two days, since writers send lost ones again for one day. */
  readonly keepMs?: number;
  readonly maxBytes?: number;
  /** How long the server recognises a message that is sent again, by its id, in ms. */
  readonly windowMs?: number;
  readonly replicas?: number;
}

/**
 * Creates or updates the stream of a fleet's decisions. A full stream refuses new batches, which then stay in the
 * machines' spools; nobody may delete single messages.
 */
export async function makeStream(connection: NatsConnection, options: StreamOptions): Promise<void> {
  const { fleet, keepMs = 90 * DAY_MS, maxBytes = -1, windowMs = 120_000, replicas = 1 } = options;
  if (keepMs < 2 * DAY_MS) throw new Error("decisions must be kept for at least two days");
  const { DiscardPolicy, jetstreamManager } = await import("../link/jetstream.ts");
  const names = namesOf(fleet);
  const manager = await jetstreamManager(connection);
  const config = {
    subjects: [names.decisions("*", "*")],
    discard: DiscardPolicy.New,
    max_age: keepMs * NANOS,
    max_bytes: maxBytes,
    duplicate_window: windowMs * NANOS,
    allow_direct: true,
    num_replicas: replicas,
  };
  const exists = await manager.streams.info(names.stream).then(
    () => true,
    () => false,
  );
  if (exists) await manager.streams.update(names.stream, config);
  else await manager.streams.add({ name: names.stream, ...config, deny_delete: true, deny_purge: true });
}
