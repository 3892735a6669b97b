import * as v from "valibot";
import { type Envelope, readEnvelope, requireSigned, type Signers, seal } from "./envelope.ts";
import { KEY_BYTES, publicKey, type Signer, sha256 } from "./key.ts";
import { nameSchema } from "./names.ts";
import { Refused } from "./refused.ts";
import { base64Schema, countSchema, hashSchema, readStrict, recordSchema, timeSchema } from "./strict.ts";

/** The type of an envelope with a root. */
export const ROOT_TYPE = "application/vnd.hookline.fleet-root.v1+json";

const MOST_BYTES = 64 * 1024;
const MOST_KEYS = 16;

/** The purpose of a key: signing roots, signing policy, or approving for a person. */
export type RoleName = "root" | "policy" | "approvals";

/** The keys of a role, and how many of them must sign. */
export interface Role {
  readonly keyids: readonly string[];
  readonly threshold: number;
}

/** The keys that a fleet trusts. */
export interface Root {
  readonly v: 1;
  readonly fleet: string;
  /** The version number; each new root has the next one. */
  readonly version: number;
  /** The time until which the root is valid, in epoch ms. */
  readonly expires: number;
  /** The public keys by key id. */
  readonly keys: Readonly<Record<string, { readonly type: "ed25519"; readonly public: string }>>;
  readonly roles: Readonly<Record<RoleName, Role>>;
}

/** A root that is trusted: the pinned one, or one that a chain of signed roots connects to it. */
export interface TrustedRoot extends Root {
  /** SHA-256 of the root's file; `fleet join` pins it. */
  readonly sha256: string;
}

const roleSchema = v.strictObject({
  keyids: v.pipe(v.array(hashSchema()), v.maxLength(MOST_KEYS)),
  threshold: countSchema(),
});

const schema = v.strictObject({
  v: v.literal(1),
  fleet: nameSchema(),
  version: countSchema(),
  expires: timeSchema(),
  keys: recordSchema(hashSchema(), v.strictObject({ type: v.literal("ed25519"), public: base64Schema(KEY_BYTES) })),
  roles: v.strictObject({ root: roleSchema, policy: roleSchema, approvals: roleSchema }),
});

/** Returns the bytes of a root, signed by these keys; throws `Refused` for an invalid one. */
export function sealRoot(root: Root, signers: readonly Signer[]): Buffer {
  const payload = Buffer.from(JSON.stringify(root));
  readPayload(payload, "the new root");
  return seal(ROOT_TYPE, payload, signers);
}

/** Reads a root's file; throws `Refused` unless it has this SHA-256. */
export function pinnedRoot(bytes: Uint8Array, pin: string): TrustedRoot {
  const found = sha256(bytes);
  if (!/^[0-9a-f]{64}$/.test(pin)) throw new Refused("pin", "the pin of the root must be a SHA-256: 64 digits 0-9 a-f");
  if (found !== pin) throw new Refused("pin", `the root has the SHA-256 ${found}, but ${pin} is pinned`);
  const { root, envelope } = read(bytes, "the root");
  requireSigned(envelope, signersOf(root, "root"), "the root");
  return { ...root, sha256: found };
}

/** Reads the successor of a trusted root; throws `Refused` unless the keys of both have signed it. */
export function nextRoot(bytes: Uint8Array, before: Root): TrustedRoot {
  const { root, envelope } = read(bytes, "the new root");
  if (root.fleet !== before.fleet)
    throw new Refused("fleet", `the new root belongs to the fleet ${root.fleet}, not to ${before.fleet}`);
  if (root.version !== before.version + 1)
    throw new Refused(
      "version",
      `the new root has the version ${root.version}; after ${before.version} comes ${before.version + 1}`,
    );
  requireSigned(envelope, signersOf(before, "root"), "the new root, by the previous keys");
  requireSigned(envelope, signersOf(root, "root"), "the new root, by its own keys");
  return { ...root, sha256: sha256(bytes) };
}

/** Returns the keys of a role, with how many of them must sign. */
export function signersOf(root: Root, role: RoleName): Signers {
  const { keyids, threshold } = root.roles[role];
  return {
    threshold,
    keys: keyids.map((keyid) => publicKey(Buffer.from(root.keys[keyid]?.public ?? "", "base64"))),
  };
}

function read(bytes: Uint8Array, what: string): { readonly root: Root; readonly envelope: Envelope } {
  const envelope = readEnvelope(bytes, ROOT_TYPE, what);
  return { root: readPayload(envelope.payload, what), envelope };
}

function readPayload(payload: Uint8Array, what: string): Root {
  const { keys, ...root } = readStrict(payload, schema, { what, maxBytes: MOST_BYTES });
  const held = Object.entries(keys);
  if (held.length > MOST_KEYS)
    throw new Refused("size", `${what}: it has ${held.length} keys; at most ${MOST_KEYS} are allowed`);
  for (const [keyid, { public: bytes }] of held)
    if (sha256(bytes) !== keyid) throw new Refused("field", `${what}: ${keyid} is not the id of its key`);
  for (const [name, role] of Object.entries(root.roles)) {
    const problem = roleProblem(role, new Set(Object.keys(keys)), name === "approvals");
    if (problem !== undefined) throw new Refused("field", `${what}: the role ${name} ${problem}`);
  }
  const spelt = held.map(([keyid, { type, public: bytes }]) => [keyid, { type, public: bytes.toString("base64") }]);
  return { ...root, keys: Object.fromEntries(spelt) };
}

/**
 * Returns what is wrong with a role. Only a fleet's approvers may have no keys; every other role needs enough to sign.
 */
function roleProblem({ keyids, threshold }: Role, known: ReadonlySet<string>, mayBeEmpty: boolean): string | undefined {
  const unknown = keyids.find((keyid) => !known.has(keyid));
  if (unknown !== undefined) return `names the key ${unknown}, which does not exist`;
  if (new Set(keyids).size !== keyids.length) return "names a key twice";
  if (mayBeEmpty && keyids.length === 0) return undefined;
  return threshold > keyids.length ? `requires ${threshold} signatures but has ${keyids.length} keys` : undefined;
}
