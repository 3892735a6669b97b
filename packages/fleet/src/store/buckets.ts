import type { NatsConnection } from "@nats-io/transport-node";
import type { Bus } from "../link/bus.ts";
import { addTo, lastOn, type Stored } from "../link/stream.ts";
import { namesOf } from "../name/subjects.ts";
import type { Blobs } from "../policy/bundle.ts";

/** The buckets: `policy` has manifests and roots, `blobs` the contents of files. */
export type BucketName = "policy" | "blobs";

/** Functions that return the keys of the bucket `policy`. */
export const KEYS = {
  /** Key of the newest manifest of a channel. */
  channel: (channel: string) => `channel.${channel}`,
  /** Key of one version of a channel. */
  version: (channel: string, version: number) => `channel.${channel}.${version}`,
  /** `root` is a root's key by its version, `pin` the one by the SHA-256 that machines pin. */
  root: (version: number) => `root.${version}`,
  pin: (sha256: string) => `root.${sha256}`,
} as const;

/** Returns the value of a key in a bucket; `undefined` if there is none. */
export function readKey(
  bus: Bus,
  fleet: string,
  { bucket, key }: { readonly bucket: BucketName; readonly key: string },
): Promise<Stored | undefined> {
  const name = namesOf(fleet).buckets[bucket];
  return lastOn(bus, `KV_${name}`, `$KV.${name}.${key}`);
}

/**
 * Writes a value if the key's current value has the number `after`, 0 for none; returns false if it has another one by
 * now.
 */
export async function writeKey(
  bus: Bus,
  fleet: string,
  {
    bucket,
    key,
    data,
    after,
  }: { readonly bucket: BucketName; readonly key: string; readonly data: Uint8Array; readonly after: number },
): Promise<boolean> {
  const name = namesOf(fleet).buckets[bucket];
  return (await addTo(bus, { subject: `$KV.${name}.${key}`, data, after })) !== "other";
}

/** Returns a reader of files' contents by their hash. */
export function blobsIn(bus: Bus, fleet: string): Blobs {
  return async (hash) => (await readKey(bus, fleet, { bucket: "blobs", key: hash }))?.data;
}

/** Creates a fleet's buckets of policy; existing ones stay as they are. */
export async function makeBuckets(connection: NatsConnection, fleet: string, replicas = 1): Promise<void> {
  const { DiscardPolicy, jetstreamManager } = await import("../link/jetstream.ts");
  const manager = await jetstreamManager(connection);
  const { policy, blobs } = namesOf(fleet).buckets;
  for (const bucket of [policy, blobs]) {
    const name = `KV_${bucket}`;
    const isThere = await manager.streams.info(name).then(
      () => true,
      () => false,
    );
    if (isThere) continue;
    await manager.streams.add({
      name,
      subjects: [`$KV.${bucket}.>`],
      max_msgs_per_subject: 1,
      discard: DiscardPolicy.New,
      allow_direct: true,
      deny_delete: true,
      num_replicas: replicas,
    });
  }
}
