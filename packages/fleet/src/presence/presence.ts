import * as v from "valibot";
import { NAME } from "../name/subjects.ts";
import type { Creds, FleetPart } from "../sign/creds.ts";
import { signedJson } from "../sign/message.ts";
import { readSigned } from "../sign/signed.ts";

/** Content type under which a machine signs its presence. */
export const PRESENCE_TYPE = "application/vnd.hookline.fleet-presence.v1+json";

/** The largest presence, in bytes. */
export const MOST_PRESENCE_BYTES = 4096;

const count = () => v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const schema = v.strictObject({
  v: v.literal(1),
  machine: v.pipe(v.string(), v.regex(NAME)),
  /** The version of hookline. */
  hookline: v.pipe(v.string(), v.regex(/^[0-9A-Za-z.+-]{1,60}$/)),
  /** Time of the announcement, by the machine's own clock, in epoch ms. */
  t: count(),
  channel: v.pipe(v.string(), v.regex(NAME)),
  /** The policy in use, with the number of its hooks. */
  bundle: v.strictObject({ version: count(), digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)), hooks: count() }),
  /** The backlog of decisions that the fleet's stream does not have yet; absent if the machine keeps none. */
  spool: v.optional(v.strictObject({ batches: count(), bytes: count(), oldestMs: count() })),
});

/** The facts that a machine announces about itself: nothing about its sessions. */
export type Presence = v.InferOutput<typeof schema>;

/** Writes a presence, signed by its machine. */
export function writePresence(presence: Presence, { key }: Pick<Creds, "key">): Buffer {
  return signedJson(PRESENCE_TYPE, presence, (message) => key.sign(message));
}

/** A presence and its machine's role, or the reason why it must not be believed. */
export type PresenceRead =
  | { readonly ok: true; readonly presence: Presence; readonly role: "agent" | "worker" }
  | { readonly ok: false; readonly problem: string };

/** Reads the presence under a machine's name; only that machine may have signed it. */
export function readPresence(
  machine: string,
  { data, token }: { readonly data: Uint8Array; readonly token: string },
  fleet: Pick<FleetPart, "account" | "signers">,
): PresenceRead {
  const no = (problem: string): PresenceRead => ({ ok: false, problem });
  if (data.length > MOST_PRESENCE_BYTES) return no(`it is longer than ${MOST_PRESENCE_BYTES} bytes`);
  const signed = readSigned(PRESENCE_TYPE, data, token, { fleet, roles: ["agent", "worker"] });
  if (!signed.ok) return signed;
  const read = v.safeParse(schema, signed.value, { abortEarly: true });
  if (!read.success) return no(`its field ${v.getDotPath(read.issues[0]) ?? "?"} has the wrong form`);
  if (read.output.machine !== signed.machine) return no("it names another machine than its token");
  if (read.output.machine !== machine) return no(`it came from ${read.output.machine}`);
  return { ok: true, presence: read.output, role: signed.role === "worker" ? "worker" : "agent" };
}
