import * as v from "valibot";
import { readEnvelope, requireSigned, seal } from "./envelope.ts";
import { type Signer, sha256 } from "./key.ts";
import { nameSchema, requireFiles } from "./names.ts";
import { Refused } from "./refused.ts";
import { type Root, signersOf } from "./root.ts";
import { countSchema, hashSchema, readStrict, timeSchema } from "./strict.ts";

/** The type of an envelope with a manifest. */
export const MANIFEST_TYPE = "application/vnd.hookline.fleet-manifest.v1+json";

const MOST_BYTES = 384 * 1024;
/** The longest rollout in which agents keep an older version, whatever a manifest says. */
const MOST_ROLLOUT_MS = 24 * 60 * 60 * 1000;

/** The effects that a remote hook's answer may have. */
export const MAY = ["deny", "ask", "edit", "context", "stop"] as const;

/** One effect that a hook's answer may have. */
export type May = (typeof MAY)[number];

/** The manifest's rule for the hooks in one file. */
export interface HookRule {
  /** Path of the file with the hooks, in the bundle. */
  readonly file: string;
  /** `agent`: the hooks run in every agent, before all other hooks. `worker`: agents ask a worker. */
  readonly where: "agent" | "worker";
  /** The events that a worker is asked about; empty for `agent`. */
  readonly events: readonly string[];
  /** Tools whose calls the hooks are asked about, by hookline's names; absent for all. Does not limit other events. */
  readonly tools?: readonly string[];
  /** The effects that the hooks' answers may have; others are dropped. */
  readonly may: readonly May[];
  /** The fields of an event that leave the machine. */
  readonly needs: readonly string[];
  /** The effect of a failed hook: `closed` refuses. */
  readonly onFailure: "open" | "closed";
  /** Whether the hooks may be asked the same question twice. */
  readonly idempotent: boolean;
}

/** A file of a bundle. */
export interface BundleFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Whether the file may be executed. */
  readonly executable?: true;
}

/** Describes one version of a channel: its hooks, its files and its validity. */
export interface Manifest {
  readonly v: 1;
  readonly fleet: string;
  readonly channel: string;
  /** The version number, which only ever rises. */
  readonly version: number;
  /** The time from which the version is valid, in epoch ms. */
  readonly notBefore: number;
  /** The time until which the version is valid, in epoch ms. */
  readonly expires: number;
  readonly files: readonly BundleFile[];
  readonly hooks: readonly HookRule[];
  /** The behaviour of agents without a valid version: keep the last one, or refuse guarded calls. */
  readonly onStale: "keep" | "refuse";
  /** How long an agent keeps its older version while no worker serves this one. */
  readonly rollout: { readonly maxMs: number };
  /** How much of each decision is sent to the fleet, and whether calls are refused when it cannot be recorded. */
  readonly audit: { readonly level: "decisions" | "payloads"; readonly required: boolean };
}

/** A manifest that the root's keys have signed. */
export interface SignedManifest {
  readonly manifest: Manifest;
  /** SHA-256 of the manifest's exact bytes, which also names the bundle. */
  readonly digest: string;
}

const field = () => v.pipe(v.string(), v.regex(/^[a-zA-Z]{1,40}$/));
const eventName = () => v.pipe(v.string(), v.regex(/^[a-z][a-zA-Z0-9._-]{0,59}$/));

const toolName = () => v.pipe(v.string(), v.regex(/^[\w.:-]{1,120}$/));

/** The schema of a rule for one file's hooks. */
export const ruleSchema = () =>
  v.strictObject({
    file: v.string(),
    where: v.picklist(["agent", "worker"]),
    events: v.pipe(v.array(eventName()), v.maxLength(100)),
    tools: v.exactOptional(v.pipe(v.array(toolName()), v.minLength(1), v.maxLength(100))),
    may: v.pipe(v.array(v.picklist(MAY)), v.maxLength(MAY.length)),
    needs: v.pipe(v.array(field()), v.maxLength(40)),
    onFailure: v.picklist(["open", "closed"]),
    idempotent: v.boolean(),
  });

const fileSchema = v.strictObject({
  path: v.string(),
  sha256: hashSchema(),
  bytes: timeSchema(),
  executable: v.exactOptional(v.literal(true)),
});

/** Returns the schema entries for the parts of a manifest that its author chooses. */
export const choiceEntries = () => ({
  onStale: v.picklist(["keep", "refuse"]),
  rollout: v.strictObject({ maxMs: v.pipe(timeSchema(), v.maxValue(MOST_ROLLOUT_MS)) }),
  audit: v.strictObject({ level: v.picklist(["decisions", "payloads"]), required: v.boolean() }),
});

const schema: v.GenericSchema<unknown, Manifest> = v.strictObject({
  v: v.literal(1),
  fleet: nameSchema(),
  channel: nameSchema(),
  version: countSchema(),
  notBefore: timeSchema(),
  expires: timeSchema(),
  files: v.array(fileSchema),
  hooks: v.array(ruleSchema()),
  ...choiceEntries(),
});

/** Returns the bytes of a manifest, signed by these keys; throws `Refused` for one that no agent would accept. */
export function sealManifest(manifest: Manifest, signers: readonly Signer[]): Buffer {
  const payload = Buffer.from(JSON.stringify(manifest));
  readPayload(payload, "the new manifest");
  return seal(MANIFEST_TYPE, payload, signers);
}

/** The root and channel that a manifest must belong to. */
export interface Expected {
  readonly root: Root;
  readonly channel: string;
}

/**
 * Reads a manifest; throws `Refused` unless a trusted root's keys have signed it for this fleet and channel.
 * `requireCurrent` checks its times.
 */
export function signedManifest(bytes: Uint8Array, { root, channel }: Expected): SignedManifest {
  const what = `the manifest of ${channel}`;
  const envelope = readEnvelope(bytes, MANIFEST_TYPE, what);
  requireSigned(envelope, signersOf(root, "policy"), what);
  const manifest = readPayload(envelope.payload, what);
  if (manifest.fleet !== root.fleet)
    throw new Refused("fleet", `${what}: it belongs to the fleet ${manifest.fleet}, not to ${root.fleet}`);
  if (manifest.channel !== channel)
    throw new Refused("channel", `${what}: it belongs to the channel ${manifest.channel}`);
  return { manifest, digest: sha256(envelope.payload) };
}

/** Reads a manifest without checking who signed it; throws `Refused` for anything else. */
export function claimedManifest(bytes: Uint8Array, what: string): Manifest {
  return readPayload(readEnvelope(bytes, MANIFEST_TYPE, what).payload, what);
}

/** Throws `Refused` unless a manifest and its root are valid at this time, in epoch ms. */
export function requireCurrent({ manifest }: SignedManifest, root: Root, now: number): void {
  const { channel, notBefore, expires } = manifest;
  if (root.expires <= now)
    throw new Refused(
      "expired",
      `the root of ${root.fleet} expired at ${date(root.expires)}; make a new one with \`hookline fleet root rotate\``,
    );
  if (notBefore > now) throw new Refused("early", `the manifest of ${channel} is valid from ${date(notBefore)} on`);
  if (expires <= now)
    throw new Refused("expired", `the manifest of ${channel} expired at ${date(expires)}; publish it again`);
}

function readPayload(payload: Uint8Array, what: string): Manifest {
  const manifest = readStrict(payload, schema, { what, maxBytes: MOST_BYTES });
  requireFiles(manifest.files, what);
  const files = new Set(manifest.files.map(({ path }) => path));
  const ruled = new Set<string>();
  for (const { file, where, events } of manifest.hooks) {
    if (!files.has(file))
      throw new Refused("missing", `${what}: its rules name ${JSON.stringify(file)}, which it does not have`);
    if (ruled.has(file)) throw new Refused("field", `${what}: it has two rules for ${file}`);
    if (where === "worker" && events.length === 0)
      throw new Refused("field", `${what}: the rule for ${file} names no events that workers are asked about`);
    ruled.add(file);
  }
  return manifest;
}

function date(t: number): string {
  const when = new Date(t);
  return Number.isNaN(when.getTime()) ? `${t} ms` : when.toISOString();
}
