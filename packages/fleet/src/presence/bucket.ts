import type { NatsConnection } from "@nats-io/transport-node";
import type { Bus } from "../link/bus.ts";
import { nextOn } from "../link/stream.ts";
import { namesOf } from "../name/subjects.ts";
import type { FleetPart } from "../sign/creds.ts";
import { TOKEN_HEADER } from "../wire/question.ts";
import { MOST_PRESENCE_BYTES, type PresenceRead, readPresence } from "./presence.ts";

/** How long a machine counts as present after its last announcement, in ms. */
export const KEPT_MS = 90_000;

const NANOS = 1_000_000;
/** Largest message in the bucket, in bytes: a signed presence, with the machine's token in a header. */
const MOST_MESSAGE_BYTES = MOST_PRESENCE_BYTES + 4096;

/** Creates the bucket of a fleet's presence. It is in memory: after a restart of the server machines fill it again. */
export async function makePresence(connection: NatsConnection, fleet: string, replicas = 1): Promise<void> {
  const { DiscardPolicy, jetstreamManager, StorageType } = await import("../link/jetstream.ts");
  const manager = await jetstreamManager(connection);
  const { presence } = namesOf(fleet).buckets;
  const name = `KV_${presence}`;
  const config = {
    subjects: [`$KV.${presence}.*`],
    max_msgs_per_subject: 1,
    max_age: KEPT_MS * NANOS,
    max_msg_size: MOST_MESSAGE_BYTES,
    discard: DiscardPolicy.Old,
    allow_direct: true,
    num_replicas: replicas,
  };
  const exists = await manager.streams.info(name).then(
    () => true,
    () => false,
  );
  if (exists) await manager.streams.update(name, config);
  else await manager.streams.add({ name, ...config, storage: StorageType.Memory, deny_delete: true });
}

/** Reads the presence of all machines that announced themselves lately. Rejects if the server does not answer. */
export async function* presentIn(
  bus: Bus,
  part: Pick<FleetPart, "fleet" | "account" | "signers">,
): AsyncGenerator<{ readonly machine: string; readonly read: PresenceRead }, void> {
  const { presence } = namesOf(part.fleet).buckets;
  const base = `$KV.${presence}.`;
  for (let seq = 1; ; ) {
    const stored = await nextOn(bus, { stream: `KV_${presence}`, subject: `${base}*`, seq });
    if (stored === undefined) return;
    const machine = stored.subject.slice(base.length);
    yield { machine, read: readPresence(machine, { data: stored.data, token: stored.header(TOKEN_HEADER) }, part) };
    seq = stored.seq + 1;
  }
}
