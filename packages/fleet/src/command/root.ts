import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Authority } from "../identity/authority.ts";
import { writePrivate } from "../kit.ts";
import { busOf } from "../link/bus.ts";
import { newKeyText, type PublicKey, publicKey, readSigningKey, type SigningKey, sha256 } from "../policy/key.ts";
import { nextRoot, pinnedRoot, type Root, sealRoot, type TrustedRoot } from "../policy/root.ts";
import { makePresence } from "../presence/bucket.ts";
import { publicBytes } from "../sign/nkey.ts";
import { makeStream } from "../spool/make-stream.ts";
import { makeBuckets } from "../store/buckets.ts";
import { publishRoot } from "../store/publish.ts";
import { asAdministrator } from "./connected.ts";
import { daysOf, type FleetArgs, type FleetIo, FleetUsage, say, word } from "./io.ts";

/** How many days a root is valid by default. */
const ROOT_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * `fleet root rotate DIR`, `fleet root approvers DIR [NAME…]` and `fleet root publish DIR URL`: changes the keys that
 * sign a fleet's policy and the approvers whose answers count.
 */
export async function fleetRoot(args: FleetArgs, io: FleetIo): Promise<number> {
  const action = word(args, 0, "rotate, approvers or publish");
  const folder = resolve(io.cwd, word(args, 1, "DIR, the folder that `hookline fleet init` made,"));
  const authority = Authority.open(folder);
  if (action === "rotate") return rotate(authority, args, io);
  if (action === "approvers") return approvers(authority, args, io);
  if (action === "publish") return publishRoots(authority, args, io);
  throw new FleetUsage(`there is no \`fleet root ${action}\`: choose rotate, approvers or publish`);
}

function rotate(authority: Authority, args: FleetArgs, io: FleetIo): number {
  const { folder, fleet } = authority;
  const { version, pin, place, expires } = newRoot(authority, { days: daysOf(args, ROOT_DAYS) });
  say(args, io, { fleet, version, pin, folder: place, expires }, [
    `${place} has root ${version} of the fleet ${fleet}, with new keys for it and for policy.`,
    `Machines join with its file: hookline fleet join URL --creds FILE --root ${join(place, "root.json")}`,
    `Put it on the server: hookline fleet root publish ${folder} URL`,
    `Sign policy with: hookline fleet publish FOLDER --channel stable --key ${join(place, "policy.pem")}`,
  ]);
  return 0;
}

/** Makes a new root with the same keys and these approvers; without names, shows the approvers. */
function approvers(authority: Authority, args: FleetArgs, io: FleetIo): number {
  const { folder, fleet } = authority;
  const names = args.words.slice(2);
  const isAny = args.flags["any"] === true;
  const threshold = thresholdOf(args, names);
  if (isAny && names.length > 0) throw new FleetUsage("--any means every approver: leave out the names");
  const isChange = isAny || names.length > 0;
  const made = isChange
    ? newRoot(authority, { days: daysOf(args, ROOT_DAYS), approvers: { names, threshold } })
    : undefined;
  const now = rootsIn(folder).at(-1);
  if (now === undefined) throw new Error(`${folder} has no root yet; make one: hookline fleet root rotate ${folder}`);
  const { version, roles } = trusted(now.bytes);
  const named = roles.approvals.keyids.map(
    (keyid) => nameOf(authority, keyid) ?? `a revoked one (${keyid.slice(0, 16)})`,
  );
  const wanted = named.length === 0 ? 1 : roles.approvals.threshold;
  say(args, io, { fleet, version, approvers: named, threshold: wanted, ...(made && { pin: made.pin }) }, [
    named.length === 0
      ? `In root ${version} of the fleet ${fleet}, every enrolled approver may answer, and one approval is enough.`
      : `In root ${version} of the fleet ${fleet}, ${wanted} of these must approve a call: ${named.join(", ")}`,
    ...(made === undefined ? [] : [`Put it on the server: hookline fleet root publish ${folder} URL`]),
  ]);
  return 0;
}

function thresholdOf({ flags }: FleetArgs, names: readonly string[]): number {
  const text = flags["threshold"];
  if (text === undefined) return 1;
  if (names.length === 0) throw new FleetUsage("--threshold needs the names of the approvers");
  const threshold = Number(text);
  if (Number.isInteger(threshold) && threshold >= 1 && threshold <= new Set(names).size) return threshold;
  throw new FleetUsage(
    `--threshold is not a number from 1 to ${new Set(names).size}, the approvers that you name: ${String(text)}`,
  );
}

/** Returns the key of an enrolled approver; throws for any other name. */
function approverKey({ fleet, machines }: Authority, name: string): PublicKey {
  const machine = Object.hasOwn(machines, name) ? machines[name] : undefined;
  if (machine?.role === "approver") return publicKey(publicBytes("user", machine.key) ?? Buffer.of());
  const is = machine === undefined ? "not enrolled in" : `enrolled as ${machine.role} in`;
  throw new Error(`${name} is ${is} ${fleet}; \`hookline fleet enroll NAME --role approver\` makes an approver`);
}

/**
 * Returns the version of the newest root if it names this enrolled approver; `undefined` if not, or if it cannot be
 * read.
 */
export function rootThatNames(authority: Authority, name: string): number | undefined {
  if (authority.machines[name]?.role !== "approver") return undefined;
  try {
    const newest = rootsIn(authority.folder).at(-1);
    const keyids = newest && trusted(newest.bytes).roles.approvals.keyids;
    return keyids?.includes(approverKey(authority, name).keyid) === true ? newest?.version : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the name of the enrolled approver with this key id. */
function nameOf(authority: Authority, keyid: string): string | undefined {
  const approvers = Object.entries(authority.machines).filter(([, { role }]) => role === "approver");
  return approvers.find(([name]) => approverKey(authority, name).keyid === keyid)?.[0];
}

/** A root in the folder that `fleet init` has made. */
export interface NewRoot {
  readonly version: number;
  /** SHA-256 of the root's file. */
  readonly pin: string;
  /** The folder with the root and its private keys. */
  readonly place: string;
}

/** The changes in a new root. */
export interface RootChange {
  /** How many days the root is valid. */
  readonly days?: number;
  /**
   * The approvers who count, and how many must approve; no names mean all enrolled ones. The other keys stay the same.
   */
  readonly approvers?: { readonly names: readonly string[]; readonly threshold: number };
}

/**
 * Makes the next root of a fleet, signed by the keys of the root before: with new keys for root and policy, or with
 * other approvers. Throws for a name that is not an enrolled approver.
 */
export function newRoot(
  authority: Authority,
  { days = ROOT_DAYS, approvers }: RootChange = {},
): NewRoot & { readonly expires: number } {
  const { folder, fleet } = authority;
  const before = rootsIn(folder).at(-1);
  const version = (before?.version ?? 0) + 1;
  const place = placeOf(folder, version);
  const kept = (name: string): string | undefined =>
    before && readFileSync(join(placeOf(folder, before.version), `${name}.pem`), "utf8");
  const textOf = (name: string): string => (approvers && kept(name)) ?? newKeyText();
  const texts = { root: textOf("root"), policy: textOf("policy") };
  const [own, policy] = [readSigningKey(texts.root), readSigningKey(texts.policy)];
  const expires = Date.now() + days * DAY_MS;
  const role = ({ keyid }: SigningKey) => ({ keyids: [keyid], threshold: 1 });
  const public_ = ({ keyid, bytes }: PublicKey) =>
    [keyid, { type: "ed25519", public: bytes.toString("base64") }] as const;
  const old = before && trusted(before.bytes);
  const named = approvers?.names.map((name) => approverKey(authority, name));
  const approvals =
    named === undefined
      ? (old?.roles.approvals ?? { keyids: [], threshold: 1 })
      : { keyids: [...new Set(named.map(({ keyid }) => keyid))], threshold: approvers?.threshold ?? 1 };
  const stay = named === undefined ? Object.entries(old?.keys ?? {}) : named.map(public_);
  const root: Root = {
    v: 1,
    fleet,
    version,
    expires,
    keys: Object.fromEntries([
      ...[own, policy].map(public_),
      ...stay.filter(([keyid]) => approvals.keyids.includes(keyid)),
    ]),
    roles: { root: role(own), policy: role(policy), approvals },
  };
  const signers = [readSigningKey(kept("root") ?? texts.root), own];
  const bytes = sealRoot(root, signers[0]?.keyid === own.keyid ? [own] : signers);
  if (old === undefined) trusted(bytes);
  else nextRoot(bytes, old);
  for (const [name, text] of Object.entries(texts)) writePrivate(join(place, `${name}.pem`), text);
  // The root is written last: keys without their root have no effect.
  writePrivate(join(place, "root.json"), bytes.toString());
  return { version, pin: sha256(bytes), place, expires };
}

/** Reads a root from the fleet's own folder, which is trusted without a pin. */
function trusted(bytes: Uint8Array): TrustedRoot {
  return pinnedRoot(bytes, sha256(bytes));
}

/** Returns the newest root in a fleet's folder; `undefined` if there is none. */
export function newestRoot({ folder }: Authority): NewRoot | undefined {
  const last = rootsIn(folder).at(-1);
  return last && { version: last.version, pin: sha256(last.bytes), place: placeOf(folder, last.version) };
}

async function publishRoots(authority: Authority, args: FleetArgs, io: FleetIo): Promise<number> {
  const pins = await putRoots(authority, word(args, 2, "URL, the fleet's server,"));
  const { fleet } = authority;
  say(args, io, { fleet, roots: pins }, [
    `The fleet ${fleet} has its buckets and its stream on the server, and the roots ${pins.map(({ version }) => version).join(", ")}.`,
  ]);
  return 0;
}

/**
 * Creates the fleet's streams and buckets on its server, with a token valid for minutes, and publishes the roots there.
 */
export async function putRoots(
  authority: Authority,
  url: string,
): Promise<readonly { readonly version: number; readonly pin: string }[]> {
  const { folder, fleet } = authority;
  const roots = rootsIn(folder);
  if (roots.length === 0) throw new Error(`${folder} has no root yet; make one: hookline fleet root rotate ${folder}`);
  await asAdministrator(authority, url, async (connection) => {
    await makeBuckets(connection, fleet);
    await makeStream(connection, { fleet });
    await makePresence(connection, fleet);
    const bus = await busOf(connection);
    for (const { bytes } of roots) await publishRoot(bus, trusted(bytes), bytes);
  });
  return roots.map(({ version, bytes }) => ({ version, pin: sha256(bytes) }));
}

function placeOf(folder: string, version: number): string {
  return join(folder, "policy", `${version}`);
}

/** Returns the roots in a fleet's folder, oldest first. */
function rootsIn(folder: string): { readonly version: number; readonly bytes: Buffer }[] {
  const place = join(folder, "policy");
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => /^[1-9]\d*$/.test(name) && existsSync(join(place, name, "root.json")))
    .map((name) => ({ version: Number(name), bytes: readFileSync(join(place, name, "root.json")) }))
    .sort((a, b) => a.version - b.version);
}
